// Indexes of the request log. Each ends with the time: pages of a filter come in its order. SQLite builds one in a
// single step, some second for 1.5 million rows. Those of an earlier version's log are built while nothing runs.
import type { Store } from '../../database/index.js';

const FAILED = '((status >= 400 AND status <> 499) OR (error_code IS NOT NULL AND status IS NOT 499))';

/** The indexes by their names. */
const INDEXES = {
  request_by_key_time: 'ON request (key_id, ts_ms)',
  request_by_model: 'ON request (model, ts_ms)',
  request_by_runtime: 'ON request (runtime_id, ts_ms)',
  request_by_id: 'ON request (request_id)',
  request_failed: 'ON request (ts_ms) WHERE '.concat(FAILED),
} as const;

/** An index of the request log. */
export type RequestIndex = keyof typeof INDEXES;

const names = Object.keys(INDEXES) as readonly RequestIndex[];

/** Rows up to which the indexes are built at once: a tenth of a second. */
const MAX_AT_ONCE = 100_000;

/** The indexes of the request log. */
export interface RequestIndexes {
  has(index: RequestIndex): boolean;
  isComplete(): boolean;
  /** Builds the next one, within a transaction. */
  buildNext(): void;
  /** Looks again which there are, after a commit. */
  look(): void;
}

/** The indexes of a store; a small log has all of them from then on. */
export function openRequestIndexes(store: Store): RequestIndexes {
  const list = store.prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'request'");
  let there = new Set<unknown>();
  const look = (): void => void (there = new Set(list.all().map(({ name }) => name)));
  const missing = (): RequestIndex | undefined => names.find((name) => !there.has(name));
  function buildNext(): void {
    const name = missing();
    if (name === undefined) return;
    store.exec('CREATE INDEX IF NOT EXISTS '.concat(name, ' ', INDEXES[name]));
    // The index of the first version in its place.
    if (name === 'request_by_key_time') store.exec('DROP INDEX IF EXISTS request_by_key');
  }
  look();
  const span = store.prepare('SELECT ifnull(max(seq) - min(seq), 0) AS span FROM request').get();
  if (Number(span?.['span']) < MAX_AT_ONCE) {
    while (missing() !== undefined) {
      buildNext();
      look();
    }
  }
  return { has: (index) => there.has(index), isComplete: () => missing() === undefined, buildNext, look };
}
