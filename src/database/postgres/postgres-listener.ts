import type { Client } from 'pg';
import { isError, type Clock, type LogEntry } from '../../base/index.js';
import { Listeners } from '../listeners.js';

/** The delay before a lost connection is made again. */
const AGAIN_MS = 1_000;
/** How often a silent connection is probed: a network may drop packets for hours. */
const PROBE_MS = 10_000;

/** The parts of a listener. */
export interface ListenerParts {
  readonly connect: () => Client;
  readonly place: string;
  readonly clock: Clock;
  readonly log: (entry: LogEntry) => void;
}

/** LISTEN on a connection of its own, which is made for the first listener and made again when it is lost. */
export class PostgresListener implements AsyncDisposable {
  readonly #parts: ListenerParts;
  readonly #listeners = new Listeners();
  #client: Client | undefined;
  #cancel: (() => void) | undefined;
  #isStarted = false;
  #isClosed = false;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
  }

  /** A channel's name is one of ours: small letters and underscores. */
  listen(channel: string, listener: (payload: string) => void, onMissed?: () => void): () => void {
    const isNew = !this.#listeners.channels.includes(channel);
    const remove = this.#listeners.add(channel, listener, onMissed);
    if (!this.#isStarted) void this.#connect();
    // After a lost connection, the next one begins all channels again.
    else if (isNew && this.#client !== undefined) this.#begin(this.#client, channel).catch(() => {});
    return remove;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    this.#isStarted = true;
    const { connect, place, log } = this.#parts;
    const client = connect();
    this.#client = client;
    let isLost = false;
    const lose = (error?: unknown): void => {
      if (isLost || this.#isClosed) return;
      isLost = true;
      log({ event: 'listener lost', place, reason: isError(error) ? error.message : 'the connection ended' });
      client.end().catch(() => {});
      this.#later(AGAIN_MS, () => void this.#connect());
    };
    client.on('error', lose);
    client.on('end', () => lose());
    client.on('notification', ({ channel, payload = '' }) => this.#listeners.tell(channel, payload));
    try {
      await client.connect();
      for (const channel of this.#listeners.channels) await this.#begin(client, channel);
      this.#probe(client, lose);
    } catch (error) {
      lose(error);
    }
  }

  /** Payloads arrive from now on; earlier ones were missed. */
  async #begin(client: Client, channel: string): Promise<void> {
    await client.query(`LISTEN ${channel}`);
    this.#listeners.tellMissed(channel);
  }

  #probe(client: Client, lose: (error: unknown) => void): void {
    this.#later(PROBE_MS, () => {
      client.query('SELECT 1').then(() => this.#probe(client, lose), lose);
    });
  }

  #later(delayMs: number, run: () => void): void {
    if (!this.#isClosed) this.#cancel = this.#parts.clock.after(delayMs, run);
  }
}
