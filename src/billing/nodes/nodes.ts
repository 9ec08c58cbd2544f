import { randomUUID } from 'node:crypto';
import { codeOf, type Clock, type LogEntry } from '../../base/index.js';
import { textOf, type Database, type Row } from '../../database/index.js';
import { Beats } from './beats.js';

/** Options of nodes. */
export interface NodesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
  /** This the node did not renew its lease and was declared dead by the others, and is a new one now. */
  readonly onReborn: () => void;
}

/** How long a node is silent until the others take it for dead. */
const DEAD_MS = 30_000;
/** How long until it no longer counts where limits are divided. */
const QUIET_MS = 10_000;
/** How long this node trusts its allowances after the database last saw it. */
const TRUST_MS = 12_000;

/** The nodes on one database, and this one among them. */
export class Nodes {
  readonly #options: NodesOptions;
  readonly #beats: Beats;
  #id = randomUUID();
  #seenMs = -Infinity;
  #living = 1;

  constructor(options: NodesOptions) {
    this.#options = options;
    this.#beats = new Beats(options.clock);
  }

  /** The id of this node, of this life. */
  get id(): string {
    return this.#id;
  }

  /** Nodes that live, this one included. */
  get living(): number {
    return this.#living;
  }

  /** Whether the database saw this node lately: then no node can have taken it for dead. */
  get isLive(): boolean {
    return this.#options.clock.nowMs() - this.#seenMs < TRUST_MS;
  }

  /** Enters this node. */
  async enter(): Promise<void> {
    const { database, clock, now } = this.#options;
    const seenMs = clock.nowMs();
    await database.run('INSERT INTO node (id, beat, started_at_ms) VALUES ($1, 0, $2)', this.#id, now());
    this.#seenMs = seenMs;
  }

  /** Increments this node's counter, and reads the others. Errors: `database_unavailable`. */
  async beat(): Promise<void> {
    const { database, clock, log, onReborn } = this.#options;
    const seenMs = clock.nowMs();
    const changed = await database.run('UPDATE node SET beat = beat + 1 WHERE id = $1', this.#id);
    if (changed === 0) await this.#begin(log, onReborn);
    this.#seenMs = seenMs;
    const rows = await database.all('SELECT id, beat FROM node');
    this.#beats.look(new Map(rows.map(toBeat)));
    this.#living = Math.max(1, this.#beats.living(QUIET_MS));
  }

  /**
   * Removes dead nodes: their holds then have no owner. With SQLite, which one process uses, removes the nodes of
   * earlier processes. A removed node that runs again registers under a new id. Errors: `database_unavailable`.
   */
  async removeDead(): Promise<void> {
    const { database, log } = this.#options;
    if (database.kind === 'sqlite') {
      await database.run('DELETE FROM node WHERE id <> $1', this.#id);
      return;
    }
    for (const [id, beat] of this.#beats.quiet(DEAD_MS)) {
      if (id === this.#id) continue;
      // Only if its counter has not moved since the last reading.
      const removed = await database.run('DELETE FROM node WHERE id = $1 AND beat = $2', id, BigInt(beat));
      if (removed === 1) log({ event: 'node is dead', node: id });
    }
  }

  /** Takes this node out. */
  async leave(): Promise<void> {
    await this.#options.database.run('DELETE FROM node WHERE id = $1', this.#id).catch((error: unknown) => {
      // The others find out by themselves.
      if (codeOf(error) !== 'database_unavailable') throw error;
    });
  }

  /** Begins anew under another id, with the requests that are under way. */
  async #begin(log: NodesOptions['log'], onReborn: () => void): Promise<void> {
    const before = this.#id;
    this.#id = randomUUID();
    log({ event: 'the node did not renew its lease and was declared dead', node: before, now: this.#id });
    onReborn();
    await this.enter();
    await this.#options.database.run('UPDATE hold SET node_id = $2 WHERE node_id = $1', before, this.#id);
  }
}

function toBeat(row: Row): readonly [string, string] {
  return [textOf(row, 'id') ?? '', String(row['beat'] ?? '')];
}
