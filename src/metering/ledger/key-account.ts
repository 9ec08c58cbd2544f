import type { Budget, KeyLimits } from '../keys/key-record.js';
import { affordableTokens, type TokenPrice } from '../price.js';
import { forgivenOf, NOTHING_FORGIVEN } from './forgiven.js';
import { SlidingWindow } from './sliding-window.js';
import type { Amounts, AmountsTable } from './sums.js';

const NO_LIMITS: KeyLimits = { budgets: [] };
const NO_MONEY: readonly Money[] = [];

/** Amounts of a currency. */
interface Money {
  readonly currency: string;
  readonly amounts: Amounts;
}

/** Limits, usage and holds of one key. There are as many as keys: parts that few keys have are made on demand. */
export class KeyAccount {
  limits = NO_LIMITS;
  /** Open holds. */
  running = 0;
  /** Amounts that its budgets do not count in their present windows. */
  forgiven = NOTHING_FORGIVEN;
  readonly tokens: Amounts;
  readonly #table: AmountsTable;
  /** A list, since most keys have one currency. */
  #money: readonly Money[] = NO_MONEY;
  #requestsOfMinute: SlidingWindow | undefined;
  #tokensOfMinute: SlidingWindow | undefined;

  /** An account with nothing in it, whose amounts are in `table`. */
  constructor(table: AmountsTable) {
    this.#table = table;
    this.tokens = table.open();
  }

  get requestsOfMinute(): SlidingWindow {
    return (this.#requestsOfMinute ??= new SlidingWindow());
  }

  get tokensOfMinute(): SlidingWindow {
    return (this.#tokensOfMinute ??= new SlidingWindow());
  }

  /** The tokens of all currencies. */
  get money(): readonly Money[] {
    return this.#money;
  }

  /** The amounts of a currency, created if absent. */
  moneyOf(currency: string): Amounts {
    const found = this.findMoney(currency);
    if (found !== undefined) return found;
    const amounts = this.#table.open();
    // A spread would leave room for more.
    this.#money = this.#money.concat({ currency, amounts });
    return amounts;
  }

  /** The amounts of a currency, if present. */
  findMoney(currency: string): Amounts | undefined {
    return this.#money.find((one) => one.currency === currency)?.amounts;
  }
}

/** The completion tokens that fit, and the budget that limits them; undefined where no budget limits. */
export interface Room {
  readonly completionTokens: number;
  readonly budget: Budget | undefined;
}

/** The amounts that a budget counts. */
export function amountsOf(account: KeyAccount, budget: Budget): Amounts {
  return 'tokens' in budget ? account.tokens : account.moneyOf(budget.currency);
}

/** The limit of a budget, in tokens or in micro-units. */
export function budgetLimitOf(budget: Budget): bigint {
  return 'tokens' in budget ? BigInt(budget.tokens) : budget.amountMicro;
}

/** Usage that counts against a budget: less than the actual usage if an operator has refilled it. */
export function usedOf(account: KeyAccount, budget: Budget): bigint {
  const used = amountsOf(account, budget).used(budget.window);
  if (account.forgiven.length === 0) return used;
  const counted = used - forgivenOf(account.forgiven, budget);
  return counted > 0n ? counted : 0n;
}

/** The rest of a budget; negative if its limit was lowered below the usage. */
export function leftOf(account: KeyAccount, budget: Budget): bigint {
  return budgetLimitOf(budget) - usedOf(account, budget) - amountsOf(account, budget).held;
}

/** The amounts that a hold reserves. */
export interface Reserved {
  readonly price: TokenPrice | undefined;
  readonly promptTokens: number;
  /** Tokens that it holds already. */
  readonly heldTokens: number;
  readonly heldMicro: bigint;
}

/** How many completion tokens a hold may have in all, by every budget of its key. A negative number: not even its prompt. */
export function roomOf(account: KeyAccount, reserved: Reserved): Room {
  let room: Room = { completionTokens: Number.MAX_SAFE_INTEGER, budget: undefined };
  for (const budget of account.limits.budgets) {
    const completionTokens = roomIn(account, budget, reserved);
    if (completionTokens !== undefined && completionTokens < room.completionTokens) room = { completionTokens, budget };
  }
  return room;
}

/** Undefined where the budget does not count this request: it is in money, and the model has no price in its currency. */
function roomIn(account: KeyAccount, budget: Budget, reserved: Reserved): number | undefined {
  const { price, promptTokens, heldTokens, heldMicro } = reserved;
  const left = leftOf(account, budget);
  if ('tokens' in budget) return Number(left) + heldTokens - promptTokens;
  if (price?.currency !== budget.currency) return undefined;
  return affordableTokens(price, promptTokens, left + heldMicro);
}

/** The smallest rest over the budgets of a unit: the most to charge beyond a hold. Undefined: no such budget. */
export function leastLeft(account: KeyAccount, currency: string | undefined): bigint | undefined {
  let least: bigint | undefined;
  for (const budget of account.limits.budgets) {
    const counts = 'tokens' in budget ? currency === undefined : budget.currency === currency;
    if (!counts) continue;
    const left = leftOf(account, budget);
    if (least === undefined || left < least) least = left;
  }
  return least;
}

/** The part of `amount` that was held or is left. The rest is smaller if a limit was lowered. */
export function chargeable(amount: bigint, held: bigint, left: bigint | undefined): bigint {
  if (left === undefined) return amount;
  const most = left > held ? left : held;
  return amount < most ? amount : most;
}
