import { AppError, invalidValue } from '../../base/index.js';
import { amountOf, cleanText, integerOf, textOf, type Database, type Queries, type Row } from '../../database/index.js';
import { createId, toMoney } from '../../metering/index.js';
import { recordChange } from '../audit.js';
import type { Account, Accounts, Credit, CreditedAccount } from '../billing.js';
import { saveGroups } from '../books/save-rows.js';
import { pageLimitOf, toPage, type Cursors } from '../cursor.js';
import { creditGroup } from '../ledger/groups.js';
import { ACCOUNT } from '../schema/tables.js';
import { toAmount } from '../../words/index.js';
import { createStatements } from './statement.js';
import { checkCurrency, checkName } from '../texts.js';

/** Options of the accounts. */
export interface AccountsOptions {
  readonly database: Database;
  readonly cursors: Cursors;
  readonly now: () => number;
}

/** The most an account has, a thousand million units: sums of thousands stay within 64 bits. */
const MAX_BALANCE_MICRO = 10n ** 15n;
/** The channel on which nodes announce that keys of an account may have ended. */
export const KEYS_CHANNEL = 'billing_keys';

const COLUMNS = 'id, name, currency, state, available_micro, held_micro, created_at_ms';

/** The accounts of a database. */
export function createAccounts({ database, cursors, now }: AccountsOptions): Accounts {
  return {
    async create({ name, currency }, by) {
      const row = {
        id: createId('acc', now()),
        name: checkName(name),
        currency: checkCurrency(currency),
        createdAtMs: now(),
      };
      await database.transaction(async (queries) => {
        const sql = `INSERT INTO account (${COLUMNS}) VALUES ($1, $2, $3, 'active', 0, 0, $4)`;
        await queries.run(sql, row.id, row.name, row.currency, row.createdAtMs);
        const diff = { name: row.name, before: null, after: { name: row.name, currency: row.currency } };
        await recordChange(queries, change(by, 'account.create', row.id, diff));
      });
      return { ...row, state: 'active', availableMicro: 0n, heldMicro: 0n };
    },
    get: (id) => findAccount(database, id),
    async list(query) {
      const limit = pageLimitOf(query);
      const [after = ''] = cursors.read('accounts', query.cursor) ?? [];
      const sql = `SELECT ${COLUMNS} FROM account WHERE id > $1 ORDER BY id LIMIT $2`;
      const rows = (await database.all(sql, after, limit + 1)).map(toAccount);
      return toPage(rows, limit, ({ id }) => cursors.write('accounts', [id]));
    },
    async setState(id, state, by) {
      if (!['active', 'suspended'].includes(state)) throw invalidValue('state', state, "'active' or 'suspended'");
      return database.transaction(async (queries) => {
        const before = await findAccount(queries, id, true);
        await queries.run('UPDATE account SET state = $2 WHERE id = $1', before.id, state);
        const diff = { name: before.name, before: { state: before.state }, after: { state } };
        await recordChange(queries, change(by, `account.${state}`, before.id, diff));
        await queries.notify(KEYS_CHANNEL, `account ${before.id}`);
        return { ...before, state };
      });
    },
    ...createStatements(database, cursors, (id) => findAccount(database, id)),
    credit: (id, credit, by) => database.transaction((queries) => book(queries, id, credit, by)),
  };

  async function book(queries: Queries, id: string, asked: Credit, by: string): Promise<CreditedAccount> {
    const account = await findAccount(queries, id, true);
    const credit = checkCredit(asked, account.currency);
    const group = creditGroup(id, account.currency, credit, now());
    const { amountMicro, reference, note } = credit;
    const sql = 'SELECT from_account, amount_micro, note, created_at_ms FROM ledger WHERE group_id = $1';
    const before = await queries.get(sql, group.id);
    if (before !== undefined) {
      checkSame(before, account, credit);
      return { ...account, wasBooked: true };
    }
    const availableMicro = account.availableMicro + amountMicro;
    if (availableMicro < 0n || availableMicro + account.heldMicro > MAX_BALANCE_MICRO)
      throw balanceExceeded(account, amountMicro);
    await queries.add(ACCOUNT, ['id'], [{ id, available_micro: amountMicro }]);
    await saveGroups(queries, [group]);
    const balance = (added: bigint): string => toAmount(account.availableMicro + account.heldMicro + added);
    const diff = {
      name: account.name,
      amount: toAmount(amountMicro),
      currency: account.currency,
      reference,
      note,
      before: { balance: balance(0n) },
      after: { balance: balance(amountMicro) },
    };
    await recordChange(queries, change(by, 'account.credit', id, diff));
    return { ...account, availableMicro, wasBooked: false };
  }

  function change(actor: string, action: string, id: string, diff: Readonly<Record<string, unknown>>) {
    return { actor, action, target: `account:${id}`, diff, atMs: now() };
  }
}

/** One account, whose row is then locked until the transaction ends. Errors: `account_unknown`. */
export async function findAccount(queries: Queries, id: string, isLocked = false): Promise<Account> {
  const sql = `SELECT ${COLUMNS} FROM account WHERE id = $1${isLocked ? ' FOR UPDATE' : ''}`;
  const row = await queries.get(sql, cleanText(id, 100));
  if (row === undefined) throw accountUnknown(id);
  return toAccount(row);
}

function toAccount(row: Row): Account {
  return {
    id: textOf(row, 'id') ?? '',
    name: textOf(row, 'name') ?? '',
    currency: textOf(row, 'currency') ?? '',
    state: textOf(row, 'state') === 'active' ? 'active' : 'suspended',
    availableMicro: amountOf(row, 'available_micro'),
    heldMicro: amountOf(row, 'held_micro'),
    createdAtMs: integerOf(row, 'created_at_ms'),
  };
}

function checkCredit({ amountMicro, reference, note = '' }: Credit, currency: string): Required<Credit> {
  if (amountMicro === 0n || amountMicro > MAX_BALANCE_MICRO || amountMicro < -MAX_BALANCE_MICRO)
    throw invalidValue(
      'amount',
      toMoney(amountMicro, currency),
      `an amount up to ${toMoney(MAX_BALANCE_MICRO, currency)}, and not 0`,
    );
  return { amountMicro, reference: checkName(reference, 'reference'), note: cleanText(note, 500) };
}

/** Refuses another payment under a reference that was used: `row` is a line of the ledger's group of the first one. */
function checkSame(row: Row, { id, currency }: Account, { amountMicro, reference, note }: Required<Credit>): void {
  const isTaken = textOf(row, 'from_account') !== 'payments';
  const booked = isTaken ? -amountOf(row, 'amount_micro') : amountOf(row, 'amount_micro');
  const bookedNote = textOf(row, 'note') ?? '';
  if (booked === amountMicro && bookedNote === note) return;
  const when = new Date(integerOf(row, 'created_at_ms')).toISOString();
  const withNote = (text: string): string => (text === '' ? 'without a note' : `with the note '${text}'`);
  const message = `the reference ${reference} of ${id} was booked at ${when} with ${toMoney(booked, currency)} ${withNote(bookedNote)}, and not with ${toMoney(amountMicro, currency)} ${withNote(note)}; nothing was booked: give this payment a reference of its own`;
  throw new AppError('payment_reference_used', message, { accountId: id, reference });
}

function accountUnknown(id: string): AppError {
  const message = `there is no account ${cleanText(id, 100)}; see the list of accounts`;
  return new AppError('account_unknown', message, { accountId: cleanText(id, 100) });
}

function balanceExceeded({ id, availableMicro, currency }: Account, amountMicro: bigint): AppError {
  const message = `${toMoney(amountMicro, currency)} cannot be booked to ${id}, which has ${toMoney(availableMicro, currency)} that no request holds: a balance is from 0 to ${toMoney(MAX_BALANCE_MICRO, currency)}`;
  return new AppError('balance_exceeded', message, { accountId: id, availableMicro: String(availableMicro) });
}
