import { roundMs } from '../../endpoint/index.js';
import type { Clock, LogEntry, LogLevel } from '../../base/index.js';
import type { CutOff, RefusedConnection } from '../../grpc/index.js';

/** After the first of a kind, further notices are logged together, once in this time. */
const WINDOW_MS = 10_000;
/** Kinds that are kept apart in one window; further kinds are logged as one. */
const MAX_KINDS = 64;

/**
 * Events that clients can cause without limit. The log has the first of a kind at once, and the number of the following
 * ones later.
 */
export class ConnectionNotices {
  readonly #log: (level: LogLevel, entry: LogEntry) => void;
  readonly #clock: Clock;
  /** By the text of the notice: how often it came since. */
  readonly #counts = new Map<string, { readonly entry: LogEntry; count: number }>();
  #numOthers = 0;
  #cancel: (() => void) | undefined;

  constructor(log: (level: LogLevel, entry: LogEntry) => void, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** A connection came to nothing. */
  refused({ reason, client }: RefusedConnection): void {
    this.#note({ event: 'connection', client, refused: reason });
  }

  /** A connection was cut off. */
  cutOff({ connection, reason, backoffMs }: CutOff): void {
    const keptOut = backoffMs > 0 ? { kept_out_seconds: Math.ceil(backoffMs / 1_000) } : {};
    this.#note({ event: 'connection', client: connection.client, cut_off: reason, ...keptOut });
  }

  /** Tells nothing more. */
  stop(): void {
    this.#cancel?.();
  }

  #note(entry: LogEntry): void {
    const key = JSON.stringify(entry);
    const known = this.#counts.get(key);
    if (known !== undefined) known.count++;
    else if (this.#counts.size >= MAX_KINDS) this.#numOthers++;
    else {
      this.#counts.set(key, { entry, count: 0 });
      this.#log('warn', entry);
    }
    const beganMs = this.#clock.nowMs();
    this.#cancel ??= this.#clock.after(WINDOW_MS, () => this.#tell(this.#clock.nowMs() - beganMs));
  }

  #tell(elapsedMs: number): void {
    this.#cancel = undefined;
    const tell = (entry: LogEntry, more: number): void => {
      if (more > 0) this.#log('warn', { ...entry, more, ms: roundMs(elapsedMs) });
    };
    for (const { entry, count } of this.#counts.values()) tell(entry, count);
    tell({ event: 'connection', notice: 'refused or cut off, of other clients' }, this.#numOthers);
    this.#counts.clear();
    this.#numOthers = 0;
  }
}
