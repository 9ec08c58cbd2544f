import type { Window } from '../window.js';
import type { KeyAccount } from './key-account.js';

/** The window and the order of a list of keys. */
export interface TopQuery {
  readonly window: Window;
  /** By money spent in this currency; absent: by tokens. */
  readonly currency?: string;
  readonly limit: number;
}

/** Usage of a key in a window. */
export interface UsedByKey {
  readonly keyId: string;
  readonly tokens: bigint;
  /** In micro-units, by currency. */
  readonly spend: ReadonlyMap<string, bigint>;
}

/** The keys with the most usage, and the usage of all. */
export interface TopKeys {
  readonly keys: readonly UsedByKey[];
  readonly tokens: bigint;
  readonly spend: ReadonlyMap<string, bigint>;
}

/** Goes once over the accounts. */
export function findTopKeys(
  accounts: Iterable<readonly [string, KeyAccount]>,
  { window, currency, limit }: TopQuery,
): TopKeys {
  const top: { readonly keyId: string; readonly amount: bigint; readonly account: KeyAccount }[] = [];
  let tokens = 0n;
  const spend = new Map<string, bigint>();
  for (const [keyId, account] of accounts) {
    tokens += account.tokens.used(window);
    for (const { currency: name, amounts } of account.money) {
      const spent = amounts.used(window);
      if (spent > 0n) spend.set(name, (spend.get(name) ?? 0n) + spent);
    }
    const amount = (currency === undefined ? account.tokens : account.findMoney(currency))?.used(window) ?? 0n;
    if (amount === 0n || (top.length === limit && amount <= (top.at(-1)?.amount ?? 0n))) continue;
    const at = top.findIndex((each) => each.amount < amount);
    top.splice(at === -1 ? top.length : at, 0, { keyId, amount, account });
    if (top.length > limit) top.pop();
  }
  return { keys: top.map(({ keyId, account }) => toUsed(keyId, account, window)), tokens, spend };
}

/** Usage of one key in a window. */
export function toUsed(keyId: string, account: KeyAccount, window: Window): UsedByKey {
  const spend = account.money.map(({ currency, amounts }) => [currency, amounts.used(window)] as const);
  return { keyId, tokens: account.tokens.used(window), spend: new Map(spend.filter(([, amount]) => amount > 0n)) };
}
