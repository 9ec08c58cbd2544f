import { invalidValue } from '../base/index.js';
import type { WriteCommitter } from './database/committer.js';
import { openRequestPages, type RequestPage, type RequestPageQuery } from './database/request-pages.js';
import type { LoggedRequest, RequestTable } from './database/request-table.js';
import { openUsagePages, type KeyUsagePage, type KeyUsageQuery, type UsageOfDay } from './database/usage-pages.js';
import type { KeyList } from './keys/key-list.js';
import type { KeyRecord } from './keys/key-record.js';
import { KeySelector, type KeyCursor, type KeySelection } from './keys/key-selection.js';
import type { Ledger } from './ledger/ledger.js';
import { findTopKeys, toUsed, type TopKeys, type TopQuery, type UsedByKey } from './ledger/top-keys.js';
import { MAX_ROWS } from './limits.js';
import type { Store } from '../database/index.js';
import type { Window } from './window.js';

/** Options of pages. */
export interface MeterPagesOptions {
  readonly store: Store;
  readonly requests: RequestTable;
  readonly committer: WriteCommitter;
  readonly keys: KeyList;
  readonly ledger: Ledger;
  readonly now: () => number;
}

/** A page of keys. */
export interface KeyPage {
  readonly records: readonly KeyRecord[];
  /** The number of rows that match the filters. */
  readonly total: number;
  readonly next: KeyCursor | undefined;
}

/** The number of keys. */
export interface KeyCounts {
  readonly total: number;
  readonly active: number;
}

/** Pages for operators: each takes a bounded time for any number of rows. */
export class MeterPages {
  readonly #options: MeterPagesOptions;
  readonly #selector: KeySelector;
  readonly #requestPage: (query: RequestPageQuery) => RequestPage;
  readonly #usage: ReturnType<typeof openUsagePages>;

  constructor(options: MeterPagesOptions) {
    const { store, keys, ledger } = options;
    this.#options = options;
    this.#selector = new KeySelector(() => keys.views((id) => Number(ledger.account(id).tokens.used('month'))));
    keys.onChanged(() => this.#selector.forget());
    this.#requestPage = openRequestPages(store);
    this.#usage = openUsagePages(store);
  }

  /** Keys by filters and order. */
  keys(selection: KeySelection): KeyPage {
    const { keys, ledger, now } = this.#options;
    ledger.moveTo(now());
    const { ids, total, next } = this.#selector.select(selection);
    return { records: ids.map((id) => keys.record(id)), total, next };
  }

  /** One key. Errors: `key_unknown`. */
  key(id: string): KeyRecord {
    return this.#options.keys.record(id);
  }

  /** The same; undefined: the id is unknown. */
  findKey(id: string): KeyRecord | undefined {
    return this.#options.keys.find(id);
  }

  keyCounts(): KeyCounts {
    return this.#options.keys.counts();
  }

  /** Usage of a key in the open windows. Errors: `key_unknown`. */
  usedByKey(id: string, window: Window): UsedByKey {
    const { keys, ledger, now } = this.#options;
    ledger.moveTo(now());
    keys.stored(id);
    return toUsed(id, ledger.account(id), window);
  }

  /** The keys that used the most in a window that is open. */
  topKeys(query: TopQuery): TopKeys {
    const { ledger, now } = this.#options;
    ledger.moveTo(now());
    return findTopKeys(ledger.accounts(), query);
  }

  /** The request log by filters. Errors: `invalid_value`. */
  requests(query: RequestPageQuery): RequestPage {
    checkLimit(query.limit);
    this.#options.committer.flush();
    return this.#requestPage(query);
  }

  /** One row of it. */
  request(seq: number): LoggedRequest | undefined {
    this.#options.committer.flush();
    return this.#options.requests.get(seq);
  }

  /** Usage by key, in the order of their ids. Errors: `invalid_value`. */
  usageByKey(query: KeyUsageQuery): KeyUsagePage {
    checkLimit(query.limit);
    this.#options.committer.flush();
    return this.#usage.byKey(query);
  }

  /** Usage of one key by day. */
  usageOfKey(keyId: string, fromMs: number, toMs: number): readonly UsageOfDay[] {
    this.#options.committer.flush();
    return this.#usage.ofKey(keyId, fromMs, toMs);
  }
}

function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ROWS) {
    throw invalidValue('limit', limit, `a whole number from 1 to ${MAX_ROWS}`);
  }
}
