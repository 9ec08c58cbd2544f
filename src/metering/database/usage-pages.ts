import { amountOf, integerOf, textOf, type Store } from '../../database/index.js';
import { dayOf } from '../window.js';
import { DAYS, OF_KEY } from './usage-sums.js';
import { toUsageRow, type UsageRow } from './usage-table.js';

/** Usage of keys is asked for in the order of their ids. Times in milliseconds since 1970; whole days in UTC count. */
export interface KeyUsageQuery {
  readonly fromMs?: number;
  /** Inclusive. */
  readonly toMs?: number;
  readonly model?: string;
  /** The last key of the page before. */
  readonly after?: string;
  /** Keys of a page. */
  readonly limit: number;
}

/** A page; `next` is the last key if more follow. */
export interface KeyUsagePage {
  readonly rows: readonly UsageRow[];
  readonly next: string | undefined;
}

/** Usage of a key on a day, in one currency; absent: of requests that cost nothing. */
export interface UsageOfDay {
  readonly dayMs: number;
  readonly currency?: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly costMicro: bigint;
}

const DAY_MS = 86_400_000;

const SUMS = `sum(requests) AS requests, sum(estimated_requests) AS estimated_requests,
  sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens, sum(cached_tokens) AS cached_tokens,
  sum(reasoning_tokens) AS reasoning_tokens, sum(charged_tokens) AS charged_tokens,
  sum(uncharged_tokens) AS uncharged_tokens, sum(cost_micro) AS cost_micro, sum(uncharged_micro) AS uncharged_micro`;

/** Of each day the rows of the keys behind ?1 up to ?5: they lie beside each other. */
const OF_KEYS = DAYS.concat(
  'SELECT key_id AS name, currency, ',
  SUMS,
  ` FROM days CROSS JOIN usage_day ON day = on_day AND key_id > ?1 AND key_id <= ?5
    WHERE on_day <= ?3 AND (?4 IS NULL OR model = ?4)
      AND +key_id IN (SELECT key_id FROM usage_key WHERE key_id > ?1 AND key_id <= ?5) GROUP BY key_id, currency ORDER BY key_id, currency`,
);
const BY_DAY = DAYS.concat('SELECT day, currency, ', SUMS, OF_KEY, 'GROUP BY day, currency ORDER BY day, currency');

/** Compiles the statements. Each reads only the days of the keys that it shows. */
export function openUsagePages(store: Store) {
  const nextKeys = store.prepare('SELECT DISTINCT key_id FROM usage_key WHERE key_id > ?1 ORDER BY key_id LIMIT ?2');
  const ofKeys = store.prepare(OF_KEYS);
  const days = store.prepare(BY_DAY);
  return {
    byKey({ fromMs, toMs, model, after = '', limit }: KeyUsageQuery): KeyUsagePage {
      const from = fromMs === undefined ? Number.MIN_SAFE_INTEGER : dayOf(fromMs);
      const to = toMs === undefined ? Number.MAX_SAFE_INTEGER : dayOf(toMs);
      const found = nextKeys.all(after, limit + 1).map((row) => textOf(row, 'key_id') ?? '');
      const last = found.slice(0, limit).at(-1);
      if (last === undefined) return { rows: [], next: undefined };
      const rows = ofKeys.all(after, from, to, model ?? null, last).map((row) => toUsageRow(row, 'key'));
      return { rows, next: found.length > limit ? last : undefined };
    },
    ofKey: (keyId: string, fromMs: number, toMs: number): readonly UsageOfDay[] =>
      days.all(keyId, dayOf(fromMs), dayOf(toMs - 1)).map((row) => {
        const currency = textOf(row, 'currency') ?? '';
        return {
          dayMs: integerOf(row, 'day') * DAY_MS,
          ...(currency !== '' && { currency }),
          requests: integerOf(row, 'requests'),
          promptTokens: integerOf(row, 'prompt_tokens'),
          completionTokens: integerOf(row, 'completion_tokens'),
          cachedTokens: integerOf(row, 'cached_tokens'),
          reasoningTokens: integerOf(row, 'reasoning_tokens'),
          costMicro: amountOf(row, 'cost_micro'),
        };
      }),
  };
}
