import type { Clock, LogEntry } from '../base/index.js';
import type { AlertType } from './alert-types.js';
import { postJson, type Attempt, type OutgoingNetwork } from '../outgoing/index.js';
import { toSignedHeaders } from './signature.js';

/** Alerts of one webhook that wait: an hour of many. */
const MAX_WAITING = 1_000;
/** Attempts of one webhook at once. */
const AT_ONCE = 4;
/** The wait doubles from the first to the most. */
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 600_000;
/** After that time an alert is stale. */
const GIVE_UP_MS = 3_600_000;

/** One alert on its way: the same id and body with every attempt and to every webhook. */
export interface Delivery {
  readonly id: string;
  readonly type: AlertType;
  readonly body: string;
}

/** A webhook that is sent to. */
export interface OpenWebhook {
  readonly id: string;
  readonly url: string;
  readonly secret: Uint8Array;
  readonly events: readonly AlertType[];
}

/** Counts of the alerts of a webhook. */
export interface WebhookCounts {
  delivered: number;
  /** Attempts that failed. */
  failed: number;
  /** Never delivered: there were too many, an hour was over, or the webhook or the process ended. */
  dropped: number;
}

/** Options of a queue. */
export interface WebhookQueueOptions {
  readonly network: OutgoingNetwork;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
  /** From 0 to below 1: for the spread of retries. */
  readonly random: () => number;
  readonly counts: WebhookCounts;
}

interface Waiting extends Delivery {
  readonly sinceMs: number;
  attempts: number;
}

/** The alerts of one webhook, in memory: each is tried again after 5 s, 10 s, … 10 minutes, for an hour. */
export class WebhookQueue {
  readonly #webhook: OpenWebhook;
  readonly #options: WebhookQueueOptions;
  readonly #ready: Waiting[] = [];
  /** Events that wait for their next attempt, with the function that cancels the wait. */
  readonly #resting = new Map<Waiting, () => void>();
  readonly #sending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(webhook: OpenWebhook, options: WebhookQueueOptions) {
    this.#webhook = webhook;
    this.#options = options;
  }

  get waiting(): number {
    return this.#ready.length + this.#resting.size + this.#sending.size;
  }

  /** Takes an alert, or drops it where too many wait. */
  add(delivery: Delivery): void {
    const waiting = { ...delivery, sinceMs: this.#options.clock.nowMs(), attempts: 0 };
    if (this.#isClosed || this.waiting >= MAX_WAITING) return this.#drop(waiting, 'queue_full');
    this.#ready.push(waiting);
    this.#pump();
  }

  /** Lets attempts under way end for `graceMs`, and drops the others. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#resting.values()) cancel();
    for (const waiting of [...this.#ready.splice(0), ...this.#resting.keys()]) this.#drop(waiting, 'stopped');
    this.#resting.clear();
    if (this.#sending.size === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(graceMs, resolve);
      void Promise.all(this.#sending).then(() => {
        cancel();
        resolve();
      });
    });
  }

  #pump(): void {
    while (this.#sending.size < AT_ONCE) {
      const next = this.#ready.shift();
      if (next === undefined) return;
      const sending = this.#send(next).finally(() => {
        this.#sending.delete(sending);
        this.#pump();
      });
      this.#sending.add(sending);
    }
  }

  async #send(waiting: Waiting): Promise<void> {
    const { network, clock, now, counts } = this.#options;
    const { url, secret } = this.#webhook;
    const { id, body } = waiting;
    waiting.attempts++;
    const headers = toSignedHeaders(secret, { id, timestamp: Math.floor(now() / 1000), body });
    const attempt = await postJson(url, { body, headers }, network);
    if (attempt.isDelivered) {
      counts.delivered++;
      return;
    }
    counts.failed++;
    const waitMs = this.#waitOf(waiting, attempt);
    const isOver = attempt.isGone || clock.nowMs() + waitMs - waiting.sinceMs > GIVE_UP_MS;
    if (this.#isClosed || isOver) return this.#drop(waiting, attempt.isGone ? 'gone' : 'given_up', attempt);
    if (waiting.attempts === 1) this.#log('webhook failed', waiting, attempt);
    this.#rest(waiting, waitMs);
  }

  #rest(waiting: Waiting, waitMs: number): void {
    const cancel = this.#options.clock.after(waitMs, () => {
      this.#resting.delete(waiting);
      this.#ready.push(waiting);
      this.#pump();
    });
    this.#resting.set(waiting, cancel);
  }

  /** Between half and all of a wait that doubles; longer where the receiver asks for it. */
  #waitOf({ attempts }: Waiting, { retryAfterMs = 0 }: Attempt): number {
    const wholeMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
    const spreadMs = wholeMs * (0.5 + this.#options.random() / 2);
    return Math.max(spreadMs, Math.min(retryAfterMs, MAX_WAIT_MS));
  }

  #drop(waiting: Waiting, why: string, attempt?: Attempt): void {
    this.#options.counts.dropped++;
    this.#log('alert dropped', waiting, attempt, why);
  }

  /** No URL: many have a secret in their path. */
  #log(event: string, { id, type, attempts }: Waiting, attempt?: Attempt, why?: string): void {
    this.#options.log({
      event,
      level: 'warn',
      webhook: this.#webhook.id,
      alert: id,
      type,
      attempts,
      ...(why !== undefined && { why }),
      ...(attempt?.status !== undefined && { status: attempt.status }),
      ...(attempt?.reason !== undefined && { reason: attempt.reason }),
    });
  }
}
