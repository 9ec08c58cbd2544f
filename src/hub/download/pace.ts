import { median } from '../../base/index.js';

/** Connections at the beginning. Source: the usual number of Ollama and hf_transfer for one file. */
const FIRST_CONNECTIONS = 4;
/** More gain nothing but trouble with a storage. */
const MOST_CONNECTIONS = 16;
/** How many more are tried after a gain. */
const STEP = 2;
/** A step is worth it when throughput grows by this factor. */
const WORTH = 1.1;
/** Ticks of a second that a throughput is measured over. */
const WINDOW_TICKS = 3;
/** A connection is slow below this share of the median, after so many ticks. */
const SLOW_SHARE = 0.1;
const SLOW_AFTER_TICKS = 5;
/** Speeds of other connections that a median is worth taking of. */
const FEWEST_SPEEDS = 3;
const KEPT_SPEEDS = 32;

/** One request under way. */
export interface PacedConnection {
  /** Bytes of its answer so far. */
  receivedBytes: number;
  /** Ticks since its first byte. */
  ticks: number;
  /** Ends the connection: another replaces it. */
  readonly drop: () => void;
}

/**
 * How many connections a download has: four at first, more while throughput grows with them, one after the server refused. It
 * holds no clock: its owner calls `tick` once a second.
 */
export class Pace {
  #connections = FIRST_CONNECTIONS;
  /** The number to return to after a refusal. */
  #isGrowing = true;
  #windowBytes = 0;
  #windowTicks = 0;
  /** Bytes of the window before, with fewer connections. */
  #before: number | undefined;
  readonly #running = new Set<PacedConnection>();
  readonly #speeds: number[] = [];

  /** How many there may be now. */
  get connections(): number {
    return this.#connections;
  }

  begin(connection: PacedConnection): void {
    this.#running.add(connection);
  }

  /** Bytes that came over a connection. */
  count(connection: PacedConnection, bytes: number): void {
    connection.receivedBytes += bytes;
    this.#windowBytes += bytes;
  }

  end(connection: PacedConnection): void {
    if (!this.#running.delete(connection) || connection.ticks === 0) return;
    this.#speeds.push(connection.receivedBytes / connection.ticks);
    if (this.#speeds.length > KEPT_SPEEDS) this.#speeds.shift();
  }

  /** The server refused one of several, with 403 or 429: it gets one connection until that works well. */
  refused(): void {
    this.#connections = 1;
    this.#isGrowing = false;
  }

  /** A part is whole. After a refusal each allows one connection more, up to the first number. */
  partDone(): void {
    if (!this.#isGrowing && this.#connections < FIRST_CONNECTIONS) this.#connections++;
  }

  /** A second has passed. */
  tick(): void {
    for (const connection of this.#running) if (connection.receivedBytes > 0) connection.ticks++;
    this.#dropSlow();
    if (++this.#windowTicks < WINDOW_TICKS) return;
    const bytes = this.#windowBytes;
    this.#windowBytes = this.#windowTicks = 0;
    if (!this.#isGrowing) return;
    if (this.#before !== undefined && bytes < this.#before * WORTH) {
      this.#connections = Math.max(FIRST_CONNECTIONS, this.#connections - STEP);
      this.#isGrowing = false;
      return;
    }
    this.#before = bytes;
    this.#connections = Math.min(MOST_CONNECTIONS, this.#connections + STEP);
    this.#isGrowing = this.#connections < MOST_CONNECTIONS;
  }

  #dropSlow(): void {
    const running = [...this.#running].filter(({ ticks }) => ticks >= SLOW_AFTER_TICKS);
    const speedOf = ({ receivedBytes, ticks }: PacedConnection): number => receivedBytes / ticks;
    for (const connection of running) {
      const others = [...running.filter((other) => other !== connection).map(speedOf), ...this.#speeds];
      if (others.length < FEWEST_SPEEDS) continue;
      if (speedOf(connection) < SLOW_SHARE * median(others)) connection.drop();
    }
  }
}
