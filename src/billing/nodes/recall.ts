// Brings money back that nodes have taken of an account as allowances: no request is refused, and no answer is cut, while the
// money for it is there.

import { randomUUID } from 'node:crypto';
import { codeOf, sleep, type Clock, type LogEntry } from '../../base/index.js';
import { textOf, type Database } from '../../database/index.js';
import type { Allowances } from './allowances.js';

/** Options of a recall. */
export interface RecallOptions {
  readonly database: Database;
  readonly allowances: Allowances;
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
  readonly nodeId: () => string;
}

/** The channel on which nodes ask each other to return the money of an account, and answer that they did. */
const CHANNEL = 'billing_recall';
/** A node answers within some milliseconds. A node that does not is dead or cut off: the sweeper returns its money. */
const ANSWER_MS = 1_000;

/** Brings money back into accounts. */
export class Recall {
  readonly #options: RecallOptions;
  readonly #running = new Map<string, Promise<boolean>>();
  /** Called for each node that answers, and with whether it returned money, by the ids of questions. */
  readonly #asked = new Map<string, (nodeId: string, hasGiven: boolean) => void>();
  readonly #stop: () => void;

  constructor(options: RecallOptions) {
    this.#options = options;
    this.#stop = options.database.listen(CHANNEL, (payload) => this.#hear(payload));
  }

  /**
   * Has every node return the money that no request of an account needs. Resolves once it is in the account, with
   * whether there was any. Callers for the same account share one recall. Never rejects.
   */
  async bringBack(accountId: string): Promise<boolean> {
    const earlier = this.#running.get(accountId);
    // An earlier recall may have missed money that a request returned since.
    if (earlier !== undefined && (await earlier)) return true;
    const running = this.#running.get(accountId) ?? this.#begin(accountId);
    return running;
  }

  /** No longer answers other nodes. */
  close(): void {
    this.#stop();
  }

  #begin(accountId: string): Promise<boolean> {
    const running = this.#run(accountId).finally(() => this.#running.delete(accountId));
    this.#running.set(accountId, running);
    return running;
  }

  async #run(accountId: string): Promise<boolean> {
    const { allowances, log } = this.#options;
    try {
      const [here, elsewhere] = await Promise.all([allowances.giveBack(accountId), this.#askOthers(accountId)]);
      return here || elsewhere;
    } catch (error) {
      log({ event: 'allowances not recalled', accountId, reason: codeOf(error) ?? 'internal_error' });
      return false;
    }
  }

  /** Whether another node had an allowance of the account, and returned it. */
  async #askOthers(accountId: string): Promise<boolean> {
    const { database, clock, nodeId } = this.#options;
    const sql = 'SELECT node_id FROM allowance WHERE account_id = $1 AND node_id <> $2 AND amount_micro > 0';
    const rows = await database.all(sql, accountId, nodeId());
    const missing = new Set(rows.map((row) => textOf(row, 'node_id') ?? ''));
    if (missing.size === 0) return false;
    const askId = randomUUID();
    let hasGiven = false;
    const answered = new Promise<void>((resolve) => {
      this.#asked.set(askId, (id, given) => {
        hasGiven ||= given;
        missing.delete(id);
        if (missing.size === 0) resolve();
      });
    });
    const waiting = new AbortController();
    try {
      await database.notify(CHANNEL, `ask ${askId} ${nodeId()} ${accountId}`);
      await Promise.race([answered, sleep(ANSWER_MS, clock, waiting.signal).catch(() => {})]);
    } finally {
      waiting.abort();
      this.#asked.delete(askId);
    }
    return hasGiven;
  }

  #hear(payload: string): void {
    const [kind = '', askId = '', fromId = '', what = ''] = payload.split(' ');
    if (kind === 'answer') this.#asked.get(askId)?.(fromId, what === 'given');
    else if (kind === 'ask' && fromId !== this.#options.nodeId()) void this.#answer(askId, what);
  }

  async #answer(askId: string, accountId: string): Promise<void> {
    const { database, allowances, nodeId, log } = this.#options;
    try {
      const hasGiven = await allowances.giveBack(accountId);
      await database.notify(CHANNEL, `answer ${askId} ${nodeId()} ${hasGiven ? 'given' : 'nothing'}`);
    } catch (error) {
      log({ event: 'allowance not given back', accountId, reason: codeOf(error) ?? 'internal_error' });
    }
  }
}
