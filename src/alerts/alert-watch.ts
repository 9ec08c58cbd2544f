// Alerts about budgets, balances and servers, one for each change: rules over readings that products bring.
import type { Clock } from '../base/index.js';
import { toAmount } from '../words/index.js';
import type { Alert } from './alert-types.js';
import type { SaidChange, SaidTable } from './said-table.js';

/** Parts of a budget, in percent, at which an event is sent. */
const WARNING = 80;
const EXHAUSTED = 100;
/** Between two events of one server: a server that comes and goes causes one event a minute at most. */
const QUIET_MS = 60_000;

/** The state of a key's budget. */
export interface BudgetReading {
  readonly keyId: string;
  readonly keyName: string;
  readonly account?: { readonly id: string; readonly name: string };
  readonly window: 'day' | 'week' | 'month' | 'total';
  /** Absent: tokens. */
  readonly currency?: string | undefined;
  /** Tokens, or micro-units of the currency. */
  readonly limit: bigint;
  readonly used: bigint;
  /** Milliseconds since 1970; absent: never. */
  readonly resetsAtMs?: number | undefined;
  /** A request was refused because of a budget of this key. */
  readonly wasRefused: boolean;
}

/** The balance of an account. */
export interface BalanceReading {
  readonly accountId: string;
  readonly accountName: string;
  readonly currency: string;
  /** Micro-units, including the holds of requests under way. */
  readonly balance: bigint;
  readonly low: bigint;
  /** A request was refused because of it. */
  readonly wasRefused: boolean;
}

/** How a server does. */
export interface StandingReading {
  /** One server of one kind. */
  readonly subject: string;
  readonly isDown: boolean;
  readonly down: Alert;
  /** Makes the alert of a server that is back. */
  readonly toUp: (downSeconds: number) => Alert;
}

/** Options of a watch. */
export interface AlertWatchOptions {
  readonly said: SaidTable;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly send: (alert: Alert) => void;
}

/** Takes readings, as often as they come. Errors: `database_unavailable`. */
export interface AlertWatch {
  budget(reading: BudgetReading): Promise<void>;
  balance(reading: BalanceReading): Promise<void>;
  standing(reading: StandingReading): Promise<void>;
}

/** A watch over a table of sent alerts. */
export function createAlertWatch({ said, clock, now, send }: AlertWatchOptions): AlertWatch {
  /** When a change of a server was reported, on the clock. */
  const toldMs = new Map<string, number>();
  /** Servers that this node found down. A server that only another node cannot reach is absent. */
  const downHere = new Set(said.wereDown);
  /** Sets a state; undefined where it is so already. One read finds that, as of most readings. */
  const change = async (subject: string, next: (before: string) => string): Promise<SaidChange | undefined> => {
    const before = await said.get(subject);
    return next(before) === before ? undefined : said.change(subject, next);
  };
  return {
    async budget(reading) {
      const { keyId, window, currency = 'tokens', used, limit, resetsAtMs } = reading;
      const period = String(resetsAtMs ?? 'total');
      const level = levelOf(reading);
      const changed = await change(`budget ${keyId} ${window} ${currency}`, (before) => {
        const old = levelIn(before, period);
        if (level === 0) return old === 0 ? before : `${period} ${limit} 0`;
        // A small request may fit in the rest of a budget that a large one did not: it stays used up.
        const isSameLimit = before.startsWith(`${period} ${limit} `);
        return `${period} ${limit} ${isSameLimit ? Math.max(level, old) : level}`;
      });
      // Less of the same period: the limit was raised, or the usage was reset.
      if (changed === undefined || level <= levelIn(changed.before.state, period)) return;
      const shown = (value: bigint): string => (reading.currency === undefined ? String(value) : toAmount(value));
      send({
        type: level === EXHAUSTED ? 'budget.exhausted' : 'budget.warning',
        data: {
          key_id: keyId,
          key_name: reading.keyName,
          ...(reading.account && { account_id: reading.account.id, account_name: reading.account.name }),
          window,
          unit: currency,
          limit: shown(limit),
          used: shown(used),
          percent: limit === 0n ? EXHAUSTED : Number((used * 100n) / limit),
          resets_at: resetsAtMs === undefined ? null : new Date(resetsAtMs).toISOString(),
        },
      });
    },
    async balance({ accountId, accountName, currency, balance, low, wasRefused }) {
      const isLow = balance < low;
      const isEmpty = balance <= 0n || (isLow && wasRefused);
      const changed = await change(`balance ${accountId}`, (before) => {
        // An account that was empty stays so until it has money for more than the next request.
        if (isEmpty || (isLow && before === 'empty')) return 'empty';
        return isLow ? 'low' : before === '' ? '' : 'good';
      });
      if (changed === undefined || changed.state === 'good') return;
      send({
        type: changed.state === 'empty' ? 'balance.empty' : 'balance.low',
        data: {
          account_id: accountId,
          account_name: accountName,
          currency,
          balance: toAmount(balance),
          low_balance: toAmount(low),
        },
      });
    },
    async standing({ subject, isDown, down, toUp }) {
      if (isDown === downHere.has(subject)) return;
      if (clock.nowMs() - (toldMs.get(subject) ?? -Infinity) < QUIET_MS) return;
      const changed = await change(subject, (before) => (isDown ? 'down' : before === '' ? '' : 'up'));
      if (isDown) downHere.add(subject);
      else downHere.delete(subject);
      if (changed === undefined) return;
      toldMs.set(subject, clock.nowMs());
      send(isDown ? down : toUp(Math.max(0, Math.round((now() - changed.before.atMs) / 1000))));
    },
  };
}

function levelOf({ used, limit, wasRefused }: BudgetReading): number {
  if (used >= limit) return EXHAUSTED;
  if (used * 100n < limit * BigInt(WARNING)) return 0;
  return wasRefused ? EXHAUSTED : WARNING;
}

/** The level that a state has in a period. */
function levelIn(state: string, period: string): number {
  const [old = '', , level = '0'] = state.split(' ');
  return old === period ? Number(level) : 0;
}
