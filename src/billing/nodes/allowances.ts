// An allowance is money that a node takes from a busy account at once: its requests then need no transaction of their
// own. A node returns unspent money; the sweeper returns the money of a dead node.

import { codeOf, type Clock, type LogEntry } from '../../base/index.js';
import type { AdmissionRequest } from '../books/admission.js';
import type { StepCommitter } from '../books/committer.js';
import type { HeldRequest } from '../books/held-request.js';
import type { AllowanceStep } from '../books/step.js';
import { affordableAtRates, boundMicro } from '../prices/cost.js';

/** Options of allowances. */
export interface AllowancesOptions {
  readonly committer: StepCommitter;
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
  readonly nodeId: () => string;
  /** Whether the database saw this node lately: otherwise other nodes may have returned its money. */
  readonly isLive: () => boolean;
  readonly nodes: () => number;
  /** Admissions a second from which an account is busy. */
  readonly busyPerSecond: number;
}

interface Allowance {
  readonly currency: string;
  /** The node that it was taken for: another one has nothing of it. */
  nodeId: string;
  leftMicro: bigint;
  /** Requests that are reserved from it and not settled. */
  open: number;
  /** Transactions under way that take money for it. */
  taking: number;
}

/** How much of an account's money is taken at most and at least, and at most which part of it. */
type TakenAmounts = Pick<Extract<AllowanceStep, { readonly kind: 'take' }>, 'wantedMicro' | 'leastMicro' | 'part'>;

interface Pace {
  sinceMs: number;
  count: number;
  perSecond: number;
  /** The reservation of the last request. */
  heldMicro: bigint;
  /** Until then no node takes an allowance, since the account had too little for a request. */
  shortUntilMs: number;
}

/** An allowance is for so many seconds of an account's pace. */
const AHEAD_SECONDS = 2;
/** Of the money of an account the nodes together take at most this part at a time. */
const MOST_PART = 4n;
const SECOND_MS = 1_000;
/** Accounts whose pace is known. */
const MAX_ACCOUNTS = 20_000;
/** The smallest allowance, in requests: the money of a nearly empty account stays undivided. */
const LEAST_REQUESTS = 8n;
/** More than an account can have, which means all. */
const EVERYTHING = 10n ** 18n;
/** How long an account keeps its money undivided after it had too little for a request. */
const SHORT_MS = 5_000;

/** The allowances of this node. */
export class Allowances {
  readonly #options: AllowancesOptions;
  readonly #allowances = new Map<string, Allowance>();
  readonly #paces = new Map<string, Pace>();
  /** Transactions under way that take money of an account, or return it. */
  readonly #moving = new Map<string, Promise<void>>();

  constructor(options: AllowancesOptions) {
    this.#options = options;
  }

  /** Reserves for a request from the allowance of its account; undefined: no allowance, or too little. */
  reserve({ request, wantedTokens, budgets, idempotencyKey }: AdmissionRequest): HeldRequest | undefined {
    const { accountId, price, promptTokens, images, audios } = request;
    const used = { promptTokens, cachedTokens: 0, completionTokens: wantedTokens, images, audios };
    const heldMicro = boundMicro(price, used);
    const isBusy = this.#count(accountId, heldMicro);
    const allowance = this.#current(accountId);
    if (isBusy && !this.#isShort(accountId) && this.#isLow(accountId, allowance))
      this.#takeMore(accountId, request.currency);
    // Budgets and idempotency keys are in the database.
    const isPlain = budgets.length === 0 && idempotencyKey === undefined;
    if (allowance === undefined || !isPlain || allowance.currency !== request.currency) return undefined;
    if (allowance.leftMicro < heldMicro || !this.#options.isLive()) return undefined;
    allowance.leftMicro -= heldMicro;
    allowance.open++;
    return { ...request, grantedTokens: wantedTokens, heldMicro, allowanceOf: allowance.nodeId };
  }

  /** Extends a hold from its allowance, as far as that goes. False: the hold does not come from an allowance. */
  async extend(held: HeldRequest, wantedTokens: number): Promise<boolean> {
    if (held.allowanceOf === undefined) return false;
    const { accountId, price, promptTokens, images, audios } = held;
    const used = { promptTokens, cachedTokens: 0, completionTokens: wantedTokens, images, audios };
    const allowance = this.#ofRequest(held);
    if (allowance === undefined) return true;
    const missing = boundMicro(price, used) - held.heldMicro - allowance.leftMicro;
    // An answer under way goes on while there is money: nothing is kept in the account.
    if (missing > 0n) await this.#take(accountId, allowance, { wantedMicro: missing, leastMicro: 1n, part: 1n });
    const tokens = Math.min(wantedTokens, affordableAtRates(price, used, held.heldMicro + allowance.leftMicro));
    if (tokens <= held.grantedTokens) return true;
    const heldMicro = boundMicro(price, { ...used, completionTokens: tokens });
    allowance.leftMicro -= heldMicro - held.heldMicro;
    Object.assign(held, { heldMicro, grantedTokens: tokens });
    return true;
  }

  /** A request ended: its unused money is there for the next. */
  release(held: HeldRequest, costMicro: bigint): void {
    const allowance = this.#ofRequest(held);
    if (allowance !== undefined && costMicro < held.heldMicro) allowance.leftMicro += held.heldMicro - costMicro;
  }

  /** The settlement of a request that was released is written. */
  finish(held: HeldRequest): void {
    const allowance = this.#ofRequest(held);
    if (allowance !== undefined) allowance.open--;
  }

  /** Returns the allowances of accounts that are no longer busy. Settlements must not wait in the outbox during it. */
  async giveBackIdle(): Promise<void> {
    for (const [accountId, allowance] of this.#allowances) {
      const pace = this.#paces.get(accountId);
      const isBusy = pace !== undefined && this.#paceOf(pace) >= this.#options.busyPerSecond / 4;
      if (!isBusy && allowance.open === 0 && allowance.taking === 0) await this.#give(accountId, allowance, true);
    }
    for (const [accountId, pace] of this.#paces) if (this.#paceOf(pace) === 0) this.#paces.delete(accountId);
  }

  /**
   * Returns the money that no request of an account needs, because the account runs low. Takes no more for a while.
   * Waits for transfers under way. False: there was nothing to return.
   */
  async giveBack(accountId: string): Promise<boolean> {
    const pace = this.#paces.get(accountId);
    if (pace !== undefined) pace.shortUntilMs = this.#options.clock.nowMs() + SHORT_MS;
    const moving = this.#moving.get(accountId);
    await moving;
    const allowance = this.#current(accountId);
    if (allowance === undefined || allowance.leftMicro === 0n) return moving !== undefined;
    await this.#give(accountId, allowance);
    return true;
  }

  /** Gives everything back that no request needs. */
  async close(): Promise<void> {
    for (const [accountId, allowance] of this.#allowances) await this.#give(accountId, allowance, true);
  }

  /** Forgets all: the others took this node for dead, and gave it back. */
  forget(): void {
    this.#allowances.clear();
  }

  #current(accountId: string): Allowance | undefined {
    const allowance = this.#allowances.get(accountId);
    return allowance?.nodeId === this.#options.nodeId() ? allowance : undefined;
  }

  #ofRequest(held: HeldRequest): Allowance | undefined {
    const allowance = this.#allowances.get(held.accountId);
    return allowance?.nodeId === held.allowanceOf ? allowance : undefined;
  }

  /** Counts an admission; whether the account is busy. */
  #count(accountId: string, heldMicro: bigint): boolean {
    const nowMs = this.#options.clock.nowMs();
    let pace = this.#paces.get(accountId);
    if (pace === undefined) {
      if (this.#paces.size >= MAX_ACCOUNTS) return false;
      pace = { sinceMs: nowMs, count: 0, perSecond: 0, heldMicro, shortUntilMs: -Infinity };
      this.#paces.set(accountId, pace);
    }
    pace.count++;
    pace.heldMicro = heldMicro;
    return this.#paceOf(pace) >= this.#options.busyPerSecond;
  }

  /** Admissions a second: of the last second, or of this one where that has more. */
  #paceOf(pace: Pace): number {
    const elapsedMs = this.#options.clock.nowMs() - pace.sinceMs;
    if (elapsedMs >= SECOND_MS) {
      pace.perSecond = (pace.count * SECOND_MS) / elapsedMs;
      if (pace.perSecond < 0.1) pace.perSecond = 0;
      pace.count = 0;
      pace.sinceMs += elapsedMs;
    }
    return Math.max(pace.perSecond, pace.count);
  }

  #isShort(accountId: string): boolean {
    return this.#options.clock.nowMs() < (this.#paces.get(accountId)?.shortUntilMs ?? -Infinity);
  }

  #isLow(accountId: string, allowance: Allowance | undefined): boolean {
    return allowance === undefined || allowance.leftMicro * 2n < this.#wanted(accountId);
  }

  #wanted(accountId: string): bigint {
    const pace = this.#paces.get(accountId);
    if (pace === undefined) return 0n;
    return BigInt(Math.ceil(this.#paceOf(pace) * AHEAD_SECONDS)) * pace.heldMicro;
  }

  #takeMore(accountId: string, currency: string): void {
    const nodeId = this.#options.nodeId();
    let allowance = this.#current(accountId);
    if (allowance === undefined) {
      allowance = { currency, nodeId, leftMicro: 0n, open: 0, taking: 0 };
      this.#allowances.set(accountId, allowance);
    }
    if (allowance.taking > 0) return;
    const part = MOST_PART * BigInt(this.#options.nodes());
    const leastMicro = LEAST_REQUESTS * (this.#paces.get(accountId)?.heldMicro ?? 0n);
    void this.#take(accountId, allowance, { wantedMicro: this.#wanted(accountId), leastMicro, part });
  }

  #take(accountId: string, allowance: Allowance, amounts: TakenAmounts): Promise<void> {
    return this.#moves(accountId, this.#takeNow(accountId, allowance, amounts));
  }

  async #takeNow(accountId: string, allowance: Allowance, amounts: TakenAmounts): Promise<void> {
    const { committer, log } = this.#options;
    allowance.taking++;
    try {
      const step = { kind: 'take', nodeId: allowance.nodeId, accountId, ...amounts } as const;
      const result = await committer.run(step);
      if (result.kind === 'taken') allowance.leftMicro += result.amountMicro;
    } catch (error) {
      // It may have been taken after all: then it goes back with the rest.
      log({ event: 'allowance not taken', accountId, reason: codeOf(error) ?? 'internal_error' });
    } finally {
      allowance.taking--;
    }
  }

  #give(accountId: string, allowance: Allowance, isQuiet = false): Promise<void> {
    return this.#moves(accountId, this.#giveNow(accountId, allowance, isQuiet));
  }

  async #giveNow(accountId: string, allowance: Allowance, isQuiet: boolean): Promise<void> {
    const { committer, log } = this.#options;
    const { nodeId, open, leftMicro } = allowance;
    // With nothing under way, also in the outbox, everything is returned, including money whose transfer lost its
    // answer.
    const amountMicro = open === 0 && isQuiet ? EVERYTHING : leftMicro;
    allowance.leftMicro = 0n;
    if (open === 0 && isQuiet) this.#allowances.delete(accountId);
    try {
      await committer.run({ kind: 'give', nodeId, accountId, amountMicro });
    } catch (error) {
      log({ event: 'allowance not given back', accountId, reason: codeOf(error) ?? 'internal_error' });
      if (!this.#allowances.has(accountId)) this.#allowances.set(accountId, allowance);
    }
  }

  /** Notes that money of an account is on its way until `step` is done, which never rejects. */
  #moves(accountId: string, step: Promise<void>): Promise<void> {
    const all = Promise.all([this.#moving.get(accountId), step]).then(() => {
      if (this.#moving.get(accountId) === all) this.#moving.delete(accountId);
    });
    this.#moving.set(accountId, all);
    return step;
  }
}
