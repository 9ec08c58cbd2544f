// The rules of metering as a plain synchronous object. Invariants: used and held amounts together never exceed a
// budget; the held amount is the sum of the open holds; each hold ends once. The database is the truth; this is its
// copy in memory.

import { assert } from '../../base/index.js';
import type { KeyLimits } from '../keys/key-record.js';
import { tokenCostMicro } from '../price.js';
import { nextDay } from '../window.js';
import { checkAdmitRequest, toOutcome } from './checks.js';
import type { AdmitRequest, Charge, HoldRecord, Outcome } from './hold-record.js';
import { forgivenOn, withForgiven, type ForgivenOfKey } from './forgiven.js';
import { chargeable, KeyAccount, leastLeft, roomOf } from './key-account.js';
import { overBudget, overParallel, overRequests, overTokens } from './refusals.js';
import { AmountsTable, type Sums } from './sums.js';

/** The time of a step: monotonic for minutes, since 1970 for windows. */
export interface Instant {
  readonly monotonicMs: number;
  readonly unixMs: number;
}

/** Usage of a key as the database has it: of tokens, or of a currency in micro-units. */
export interface UsedRow extends Sums {
  readonly keyId: string;
  readonly currency: string | undefined;
}

/** Accounts of keys, and the holds that are open. */
export class Ledger {
  readonly #sliceTokens: number;
  readonly #readUsed: (day: number) => Iterable<UsedRow>;
  readonly #readForgiven: () => readonly ForgivenOfKey[];
  /** Accounts some of whose budgets do not count all: few. */
  readonly #forgiving = new Set<KeyAccount>();
  readonly #amounts = new AmountsTable();
  readonly #accounts = new Map<string, KeyAccount>();
  readonly #holds = new Map<string, HoldRecord>();
  #day: number;

  /**
   * `readUsed`: usage of all keys in the windows of a day, from the database. `readForgiven`: refilled budgets, from
   * the database.
   */
  constructor(
    sliceTokens: number,
    unixMs: number,
    readUsed: (day: number) => Iterable<UsedRow>,
    readForgiven: () => readonly ForgivenOfKey[] = () => [],
  ) {
    this.#sliceTokens = sliceTokens;
    this.#readUsed = readUsed;
    this.#readForgiven = readForgiven;
    this.#day = nextDay(0, unixMs);
    this.#reload(this.#day);
  }

  /** The day in which usage counts, in days since 1970. */
  get day(): number {
    return this.#day;
  }

  /** Sets the limits of a key. Its usage and holds stay. */
  setLimits(keyId: string, limits: KeyLimits): void {
    this.account(keyId).limits = limits;
  }

  /** The account of a key, created if absent, with the usage of the key. */
  account(keyId: string): KeyAccount {
    const found = this.#accounts.get(keyId);
    if (found !== undefined) return found;
    const account = new KeyAccount(this.#amounts);
    this.#accounts.set(keyId, account);
    return account;
  }

  /** All accounts, by the ids of their keys. */
  accounts(): Iterable<readonly [string, KeyAccount]> {
    return this.#accounts;
  }

  /** The open holds. */
  holds(): Iterable<HoldRecord> {
    return this.#holds.values();
  }

  /** Goes to the windows of the present day. One that has ended opens again only when the wall clock goes back by hours. */
  moveTo(unixMs: number): void {
    const day = nextDay(this.#day, unixMs);
    if (day === this.#day) return;
    if (day < this.#day) this.#reload(day);
    else this.#amounts.moveTo(this.#day, day);
    this.#day = day;
    for (const account of this.#forgiving) account.forgiven = forgivenOn(account.forgiven, day);
  }

  /** A budget does not count this any more. */
  forgive({ keyId, ...forgiven }: ForgivenOfKey): void {
    const account = this.account(keyId);
    account.forgiven = withForgiven(account.forgiven, forgiven);
    this.#forgiving.add(account);
  }

  /**
   * Reserves the most that a request may use, by all limits of its key at once, or nothing. If less than a slice is
   * left, it reserves the rest. Errors: `rate_limit_exceeded`, `budget_exceeded`, `invalid_value`.
   */
  admit(request: AdmitRequest, { monotonicMs, unixMs }: Instant): HoldRecord {
    checkAdmitRequest(request);
    assert(!this.#holds.has(request.requestId), 'the ids of requests under way differ');
    this.moveTo(unixMs);
    const { keyId, price, choices, promptTokensBound: promptTokens, outputTokensBound: whole } = request;
    const account = this.account(keyId);
    const { limits, requestsOfMinute, tokensOfMinute, running } = account;
    if (running >= (limits.parallelRequests ?? Infinity)) throw overParallel(running);
    const requestLimit = limits.requestsPerMinute ?? Infinity;
    if (requestsOfMinute.sum(monotonicMs) + 1 > requestLimit) {
      throw overRequests(requestLimit, requestsOfMinute.waitMs(requestLimit - 1, monotonicMs));
    }
    const room = roomOf(account, { price, promptTokens, heldTokens: 0, heldMicro: 0n });
    // One token of each choice is the least that makes an answer; one that cannot be cut needs all.
    const least = choices * (whole ?? 1);
    if (room.completionTokens < least) throw overBudget(account, room.budget, promptTokens + least, this.#day);
    const completionTokens = Math.min(choices * (whole ?? this.#sliceTokens), room.completionTokens);
    const tokens = promptTokens + completionTokens;
    const tokenLimit = limits.tokensPerMinute ?? Infinity;
    if (tokensOfMinute.sum(monotonicMs) + tokens > tokenLimit) {
      throw overTokens(tokenLimit, tokens, tokensOfMinute.waitMs(tokenLimit - tokens, monotonicMs));
    }
    const hold: HoldRecord = {
      requestId: request.requestId,
      keyId,
      model: request.model,
      price,
      choices,
      isWhole: whole !== undefined,
      promptTokens,
      completionTokens,
      heldMicro: price === undefined ? 0n : tokenCostMicro(price, promptTokens, completionTokens),
      requestSlot: requestsOfMinute.add(1, monotonicMs),
      tokenSlots: [{ at: tokensOfMinute.add(tokens, monotonicMs), tokens }],
    };
    this.#holds.set(hold.requestId, hold);
    account.running++;
    this.#hold(account, hold, 1n);
    return hold;
  }

  /**
   * Extends a hold until one more slice for each choice is free after `completionTokens`, or the budgets end. The limit
   * of tokens a minute counts the slice without stopping it: requests under way go on. Returns the reservation.
   */
  extend(hold: HoldRecord, completionTokens: number, { monotonicMs, unixMs }: Instant): number {
    assert(this.#holds.get(hold.requestId) === hold, 'only an open hold is extended');
    this.moveTo(unixMs);
    const account = this.account(hold.keyId);
    const { price, promptTokens, completionTokens: granted, heldMicro } = hold;
    const heldTokens = promptTokens + granted;
    const room = roomOf(account, { price, promptTokens, heldTokens, heldMicro }).completionTokens;
    const ahead = hold.isWhole ? 0 : hold.choices * this.#sliceTokens;
    const wanted = Math.min(completionTokens + ahead, room);
    if (wanted <= granted) return granted;
    this.#hold(account, hold, -1n);
    hold.completionTokens = wanted;
    if (price !== undefined) hold.heldMicro = tokenCostMicro(price, promptTokens, wanted);
    this.#hold(account, hold, 1n);
    this.#countTokens(account, hold, wanted - granted, monotonicMs);
    return wanted;
  }

  /** Ends a hold with the actual usage. Usage beyond the hold is charged as far as the budgets go. */
  settle(hold: HoldRecord, outcome: Outcome, { monotonicMs, unixMs }: Instant): Charge {
    this.moveTo(unixMs);
    const account = this.#close(hold);
    const used = toOutcome(outcome);
    const tokens = used.promptTokens + used.completionTokens;
    const { price } = hold;
    const cost = price === undefined ? 0n : tokenCostMicro(price, used.promptTokens, used.completionTokens);
    const heldTokens = BigInt(hold.promptTokens + hold.completionTokens);
    const chargedTokens = Number(chargeable(BigInt(tokens), heldTokens, leastLeft(account, undefined)));
    const charged = price === undefined ? 0n : chargeable(cost, hold.heldMicro, leastLeft(account, price.currency));
    account.tokens.addUsed(BigInt(chargedTokens));
    if (price !== undefined) account.moneyOf(price.currency).addUsed(charged);
    this.#correctTokens(account, hold, chargedTokens, monotonicMs);
    return {
      ...used,
      chargedTokens,
      unchargedTokens: tokens - chargedTokens,
      currency: price?.currency,
      costMicro: charged,
      unchargedMicro: cost - charged,
    };
  }

  /** Removes a hold without a trace: its request was not sent. */
  undo(hold: HoldRecord, { monotonicMs }: Instant): void {
    const account = this.#close(hold);
    account.requestsOfMinute.takeBack(1, hold.requestSlot);
    this.#correctTokens(account, hold, 0, monotonicMs);
  }

  /** Gives back an extension that was not written. */
  shrink(hold: HoldRecord, completionTokens: number): void {
    if (this.#holds.get(hold.requestId) !== hold || completionTokens >= hold.completionTokens) return;
    const account = this.account(hold.keyId);
    this.#hold(account, hold, -1n);
    this.#takeTokensBack(account, hold, hold.completionTokens - completionTokens);
    hold.completionTokens = completionTokens;
    if (hold.price !== undefined) hold.heldMicro = tokenCostMicro(hold.price, hold.promptTokens, completionTokens);
    this.#hold(account, hold, 1n);
  }

  #close(hold: HoldRecord): KeyAccount {
    assert(this.#holds.get(hold.requestId) === hold, 'a hold ends once');
    this.#holds.delete(hold.requestId);
    const account = this.account(hold.keyId);
    account.running--;
    this.#hold(account, hold, -1n);
    return account;
  }

  /** Adds a hold to the held amounts (`sign` 1), or removes it (-1). */
  #hold(account: KeyAccount, hold: HoldRecord, sign: bigint): void {
    account.tokens.hold(sign * BigInt(hold.promptTokens + hold.completionTokens));
    if (hold.price !== undefined) account.moneyOf(hold.price.currency).hold(sign * hold.heldMicro);
  }

  #countTokens(account: KeyAccount, hold: HoldRecord, tokens: number, monotonicMs: number): void {
    const at = account.tokensOfMinute.add(tokens, monotonicMs);
    const last = hold.tokenSlots.at(-1);
    if (last?.at === at) last.tokens += tokens;
    else hold.tokenSlots.push({ at, tokens });
  }

  /** Makes the minute count the actual usage instead of the reservation. */
  #correctTokens(account: KeyAccount, hold: HoldRecord, used: number, monotonicMs: number): void {
    const surplus = hold.tokenSlots.reduce((sum, { tokens }) => sum + tokens, 0) - used;
    if (surplus < 0) account.tokensOfMinute.add(-surplus, monotonicMs);
    else this.#takeTokensBack(account, hold, surplus);
  }

  /** The latest first. */
  #takeTokensBack(account: KeyAccount, hold: HoldRecord, surplus: number): void {
    let left = surplus;
    for (const slot of hold.tokenSlots.toReversed()) {
      const taken = Math.min(left, slot.tokens);
      account.tokensOfMinute.takeBack(taken, slot.at);
      slot.tokens -= taken;
      left -= taken;
    }
  }

  #reload(day: number): void {
    this.#amounts.clearUsed();
    for (const row of this.#readUsed(day)) setUsed(this.account(row.keyId), row);
    for (const forgiven of forgivenOn(this.#readForgiven(), day)) this.forgive(forgiven);
  }
}

function setUsed(account: KeyAccount, { currency, day, week, month, total }: UsedRow): void {
  (currency === undefined ? account.tokens : account.moneyOf(currency)).setUsed({ day, week, month, total });
}
