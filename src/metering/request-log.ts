import type { LogEntry } from '../base/index.js';
import type { WriteCommitter } from './database/committer.js';
import type { RequestRow, RequestTable } from './database/request-table.js';
import { MAX_WAITING_ROWS } from './limits.js';

/** Rows on their way into the request log: written with the next transaction, and dropped when too many wait. */
export class RequestLog {
  readonly #table: RequestTable;
  readonly #committer: WriteCommitter;
  readonly #log: (entry: LogEntry) => void;
  readonly #onRow: (row: RequestRow) => void;
  #waiting = 0;
  #dropped = 0;

  constructor(
    table: RequestTable,
    committer: WriteCommitter,
    log: (entry: LogEntry) => void,
    onRow: (row: RequestRow) => void = () => {},
  ) {
    this.#table = table;
    this.#committer = committer;
    this.#log = log;
    this.#onRow = onRow;
  }

  /** Puts a row in. */
  add(row: RequestRow): void {
    this.#onRow(row);
    if (this.#waiting >= MAX_WAITING_ROWS) {
      this.#dropped++;
      return;
    }
    this.#waiting++;
    const done = (): void => {
      this.#waiting--;
      this.#tellDropped();
    };
    this.#committer.add({ run: () => this.#table.insert(row), done });
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    this.#log({ event: 'request rows dropped', count: this.#dropped, limit: MAX_WAITING_ROWS });
    this.#dropped = 0;
  }
}
