import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { AppError, invalidValue, present, type Clock } from '../../base/index.js';
import { cleanText, textOf, type Database, type Queries } from '../../database/index.js';
import { createId, createKeySecret, parseKeySecret } from '../../metering/index.js';
import { findAccount, KEYS_CHANNEL } from '../accounts/accounts.js';
import { recordChange } from '../audit.js';
import type { AccountKey, AccountKeys, Caller } from '../billing.js';
import type { AccountKeyUse } from '../usage/usage-views.js';
import { pageLimitOf, toPage, type Cursors } from '../cursor.js';
import { checkName } from '../texts.js';
import { readKeyBudgets } from './key-budgets.js';
import { readKeyUse } from './key-use.js';
import { KeyCache } from './key-cache.js';
import { checkLimits, writeLimits } from './key-limits.js';
import { accountKeyFacts, lockKey, namesOfKey } from './key-facts.js';
import { rotateKey } from './rotate-key.js';
import { KEY_COLUMNS, toCaller, toKey } from './key-rows.js';

/** Options of the keys. */
export interface AccountKeysOptions {
  readonly database: Database;
  readonly cursors: Cursors;
  /** Of the HMAC under which secrets are kept. */
  readonly hmacKey: Uint8Array;
  readonly clock: Clock;
  readonly now: () => number;
}

/** Keys, with the upkeep that the timers of billing call. */
export interface KeyKeeping extends AccountKeys {
  /** Reports keys that expired, and secrets whose grace is over. */
  endExpired(): void;
  /** Reports keys that ended without a notice: the notice of another node was lost. */
  checkEnded(): Promise<void>;
  /** Writes when keys were last used. */
  saveLastUses(): Promise<void>;
}

const COLUMNS = `${KEY_COLUMNS}, a.name AS account_name, a.currency AS account_currency, a.state AS account_state`;
/** By its newest secret, or by one in its grace. */
const FIND = `SELECT ${COLUMNS}, k.hash AS secret_hash, NULL AS grace_until_ms
  FROM account_key k JOIN account a ON a.id = k.account_id WHERE k.hash = $1
  UNION ALL SELECT ${COLUMNS}, g.hash, g.until_ms
  FROM account_key_grace g JOIN account_key k ON k.id = g.key_id JOIN account a ON a.id = k.account_id WHERE g.hash = $1`;

/** The keys of all accounts. */
export function createAccountKeys(options: AccountKeysOptions): KeyKeeping {
  const { database, cursors, clock, now } = options;
  // As bytes it would be made a key object for each request, which takes six times as long as the HMAC.
  const hmacKey = createSecretKey(options.hmacKey);
  const cache = new KeyCache(async (hash) => {
    const row = await database.get(FIND, hash);
    return row === undefined ? undefined : toCaller(row);
  }, clock);
  const listeners = new Set<Parameters<AccountKeys['onEnded']>[0]>();
  const lastUses = new Map<string, number>();

  const end = (isMeant: (caller: Caller) => boolean): void => {
    for (const { key } of cache.forget(isMeant)) for (const listener of listeners) listener(key.id, undefined);
  };
  const endSecrets = (isMeant: (caller: Caller) => boolean): void => {
    for (const { key, secretHash } of cache.forget(isMeant))
      for (const listener of listeners) listener(key.id, secretHash);
  };
  const useOf = async (queries: Queries, key: AccountKey): Promise<AccountKeyUse> => {
    const [use] = await readKeyUse(queries, [key], now());
    return present(use, 'there is one for each key');
  };
  database.listen(KEYS_CHANNEL, (payload) => {
    const [kind, id, hash, untilMs] = payload.split(' ');
    if (kind === 'key') end(({ key }) => key.id === id);
    else if (kind === 'grace') cache.change(hash ?? '', (caller) => ({ ...caller, graceUntilMs: Number(untilMs) }));
    else if (kind === 'secret') endSecrets(({ key, secretHash }) => key.id === id && secretHash !== hash);
    else end(({ account }) => account.id === id);
  });

  return {
    async create(accountId, { name, limits, expiresAtMs }, by) {
      const { secret, prefix } = createKeySecret('hak');
      const key: Omit<AccountKey, 'currency'> = {
        id: createId('hk', now()),
        accountId,
        prefix,
        name: checkName(name),
        state: 'active',
        limits: checkLimits(limits),
        createdAtMs: now(),
        expiresAtMs: expiresAtMs === undefined ? null : checkExpiry(expiresAtMs, now()),
        lastUsedAtMs: null,
      };
      return database.transaction(async (queries) => {
        const account = await findAccount(queries, accountId);
        const sql = `INSERT INTO account_key (id, account_id, prefix, hash, name, state, limits, created_at_ms, expires_at_ms)
          VALUES ($1, $2, $3, $4, $5, 'active', $6, $7, $8)`;
        const { id, createdAtMs } = key;
        const written = writeLimits(limits);
        const hash = hashOf(hmacKey, secret);
        await queries.run(sql, id, accountId, prefix, hash, key.name, written, createdAtMs, key.expiresAtMs);
        const of = { name: key.name, account_id: accountId, account_name: account.name };
        const diff = { ...of, before: null, after: accountKeyFacts(key, account.currency) };
        await recordChange(queries, { actor: by, action: 'key.create', target: `key:${id}`, diff, atMs: createdAtMs });
        const made = { ...key, currency: account.currency };
        return { key: made, secret, use: await useOf(queries, made) };
      });
    },
    async rotate(id, graceMs, by, accountId) {
      const { secret, prefix } = createKeySecret('hak');
      const hash = hashOf(hmacKey, secret);
      const rotation = { id, accountId, prefix, hash, graceMs, by, atMs: now() };
      return database.transaction(async (queries) => {
        const key = await rotateKey(queries, rotation);
        return { key, secret, use: await useOf(queries, key) };
      });
    },
    async list(accountId, query) {
      const limit = pageLimitOf(query);
      const list = `keys ${accountId}`;
      const [after = ''] = cursors.read(list, query.cursor) ?? [];
      const sql = `SELECT ${KEY_COLUMNS} FROM account_key k WHERE k.account_id = $1 AND k.id > $2 ORDER BY k.id LIMIT $3`;
      const rows = (await database.all(sql, cleanText(accountId, 100), after, limit + 1)).map(toKey);
      return toPage(rows, limit, ({ id }) => cursors.write(list, [id]));
    },
    setState(id, state, by, accountId) {
      if (!['active', 'disabled'].includes(state)) throw invalidValue('state', state, "'active' or 'disabled'");
      return database.transaction(async (queries) => {
        const key = await lockKey(queries, id, accountId);
        await queries.run('UPDATE account_key SET state = $2 WHERE id = $1', key.id, state);
        const diff = { ...(await namesOfKey(queries, key)), before: { state: key.state }, after: { state } };
        const target = `key:${key.id}`;
        await recordChange(queries, { actor: by, action: `key.${state}`, target, diff, atMs: now() });
        await queries.notify(KEYS_CHANNEL, `key ${key.id}`);
        return { ...key, state };
      });
    },
    async authenticate(secret) {
      if (secret === undefined || secret === '') {
        const message = 'the request brings no key; send it as `Authorization: Bearer hak_…`';
        throw new AppError('missing_api_key', message);
      }
      const parsed = parseKeySecret(secret);
      if (parsed?.kind !== 'hak') throw invalidKey('mistyped');
      const caller = await cache.find(hashOf(hmacKey, secret));
      checkCaller(caller, now());
      lastUses.set(caller.key.id, now());
      return caller;
    },
    budgets: ({ key }) => readKeyBudgets(database, key, now()),
    use: (keys) => readKeyUse(database, keys, now()),
    onEnded(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    endExpired() {
      const nowMs = now();
      end(({ key }) => key.expiresAtMs !== null && key.expiresAtMs <= nowMs);
      endSecrets(({ graceUntilMs = Infinity }) => graceUntilMs <= nowMs);
    },
    async checkEnded() {
      const ids = cache.callers.map(({ key }) => key.id);
      if (ids.length === 0) return;
      const sql = `SELECT k.id FROM account_key k JOIN account a ON a.id = k.account_id
        WHERE k.id = ANY($1::text[]) AND k.state = 'active' AND a.state = 'active'`;
      const live = new Set((await database.all(sql, ids)).map((row) => textOf(row, 'id')));
      end(({ key, account }) => key.state === 'active' && account.state === 'active' && !live.has(key.id));
      const hashes = cache.callers.map(({ secretHash }) => secretHash);
      const secrets = `SELECT hash FROM account_key WHERE hash = ANY($1::text[])
        UNION ALL SELECT hash FROM account_key_grace WHERE hash = ANY($1::text[]) AND until_ms > $2`;
      const taken = new Set((await database.all(secrets, hashes, now())).map((row) => textOf(row, 'hash')));
      const asked = new Set(hashes);
      endSecrets(({ secretHash }) => asked.has(secretHash) && !taken.has(secretHash));
    },
    async saveLastUses() {
      if (lastUses.size === 0) return;
      const uses = [...lastUses];
      lastUses.clear();
      await database.transaction(async (queries) => {
        const sql = `UPDATE account_key SET last_used_at_ms = $2
          WHERE id = $1 AND (last_used_at_ms IS NULL OR last_used_at_ms < $2)`;
        for (const [id, atMs] of uses) await queries.run(sql, id, atMs);
      });
    },
  };
}

function hashOf(hmacKey: KeyObject, secret: string): string {
  return createHmac('sha256', hmacKey).update(secret).digest('hex');
}

function checkCaller(caller: Caller | undefined, nowMs: number): asserts caller is Caller {
  if (caller === undefined) throw invalidKey('unknown');
  const { key, account, graceUntilMs } = caller;
  if (graceUntilMs !== undefined && graceUntilMs <= nowMs) throw invalidKey('rotated');
  if (key.state !== 'active') throw invalidKey('disabled');
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) {
    const message = `this key expired at ${new Date(key.expiresAtMs).toISOString()}; use another one`;
    throw new AppError('expired_key', message, { keyId: key.id });
  }
  if (account.state === 'active') return;
  const message = 'the account of this key is suspended; ask the operator';
  throw new AppError('account_suspended', message, { accountId: account.id });
}

/** Clients cannot distinguish the reasons; logs have them. */
function invalidKey(reason: string): AppError {
  return new AppError('invalid_api_key', 'this API key is not valid; check it, or create another one', { reason });
}

function checkExpiry(expiresAtMs: number, nowMs: number): number {
  if (Number.isSafeInteger(expiresAtMs) && expiresAtMs > nowMs) return expiresAtMs;
  throw invalidValue('expiresAtMs', expiresAtMs, 'milliseconds since 1970, in the future');
}
