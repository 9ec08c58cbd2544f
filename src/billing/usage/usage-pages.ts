import { AppError, invalidValue } from '../../base/index.js';
import { amountOf, cleanText, numberOf, textOf, type Database, type Row } from '../../database/index.js';
import { dayOf } from '../../metering/index.js';
import type { Generation, Page, PaidRequests, UsageSum } from '../billing.js';
import { toIdentity } from '../books/request-identity.js';
import { limitOf, toPage, type Cursors } from '../cursor.js';

const DAY_MS = 86_400_000;
/** Days of one answer. */
const MAX_DAYS = 3_700;
/** Rows of one answer: sums by day, key, provider and model. */
const MAX_ROWS = 100_000;

/** What an account may see of its requests. */
export function createUsagePages(
  database: Database,
  cursors: Cursors,
): Pick<PaidRequests, 'generation' | 'list' | 'usage'> {
  return {
    async generation(accountId, requestId) {
      const [account, request] = [cleanText(accountId, 100), cleanText(requestId, 300)];
      const ended = 'SELECT * FROM usage_row WHERE request_id = $1 AND account_id = $2';
      const row = await database.get(ended, request, account);
      if (row !== undefined) return toGeneration(row);
      const running = await database.get(
        'SELECT * FROM hold WHERE request_id = $1 AND account_id = $2',
        request,
        account,
      );
      if (running !== undefined) return toGeneration(running);
      const message = `there is no request ${request} of this account; requests that run appear when they end`;
      throw new AppError('request_unknown', message, { requestId: request });
    },
    async list(accountId, query): Promise<Page<Generation>> {
      const limit = limitOf(query);
      const [keyId, model] = [cleanText(query.keyId ?? '', 100), cleanText(query.model ?? '', 300)];
      const list = `requests ${JSON.stringify([accountId, keyId, model])}`;
      const [atMs = Number.MAX_SAFE_INTEGER, id = ''] = cursors.read(list, query.cursor) ?? [];
      const sql = `SELECT * FROM usage_row WHERE account_id = $1 AND ($2 = '' OR key_id = $2) AND ($3 = '' OR model = $3)
        AND (created_at_ms < $4 OR (created_at_ms = $4 AND request_id < $5))
        ORDER BY created_at_ms DESC, request_id DESC LIMIT $6`;
      const rows = await database.all(sql, cleanText(accountId, 100), keyId, model, atMs, id, limit + 1);
      return toPage(rows.map(toGeneration), limit, (last) => cursors.write(list, [last.createdAtMs, last.requestId]));
    },
    async usage(accountId, { fromMs, toMs }): Promise<readonly UsageSum[]> {
      if (!(Number.isFinite(fromMs) && Number.isFinite(toMs) && toMs >= fromMs && toMs - fromMs <= MAX_DAYS * DAY_MS))
        throw invalidValue(
          'from and to',
          `${fromMs} and ${toMs}`,
          `times in this order, at most ${MAX_DAYS} days apart`,
        );
      const sql = `SELECT * FROM usage_day WHERE account_id = $1 AND day >= $2 AND day < $3
        ORDER BY day, key_id, provider, model LIMIT ${MAX_ROWS}`;
      const rows = await database.all(sql, cleanText(accountId, 100), dayOf(fromMs), dayOf(toMs - 1) + 1);
      return rows.map(toUsageSum);
    },
  };
}

/** A row of a request that ended, or of the hold of one that runs, which has no counts. */
function toGeneration(row: Row): Generation {
  const state = textOf(row, 'state');
  const orNull = (name: string): number | null => (typeof row[name] === 'number' ? row[name] : null);
  return {
    ...toIdentity(row),
    state: state === 'settled' || state === 'voided' ? state : 'running',
    promptTokens: numberOf(row, 'prompt_tokens'),
    cachedTokens: numberOf(row, 'cached_tokens'),
    cacheWriteTokens: numberOf(row, 'cache_write_tokens'),
    completionTokens: numberOf(row, 'completion_tokens'),
    reasoningTokens: numberOf(row, 'reasoning_tokens'),
    isEstimated: numberOf(row, 'is_estimated') === 1,
    costMicro: amountOf(row, 'cost_micro'),
    status: orNull('status'),
    durationMs: orNull('duration_ms'),
    firstByteMs: orNull('first_byte_ms'),
  };
}

function toUsageSum(row: Row): UsageSum {
  return {
    dayMs: numberOf(row, 'day') * DAY_MS,
    keyId: textOf(row, 'key_id') ?? '',
    provider: textOf(row, 'provider') ?? '',
    model: textOf(row, 'model') ?? '',
    requests: numberOf(row, 'requests'),
    promptTokens: amountOf(row, 'prompt_tokens'),
    cachedTokens: amountOf(row, 'cached_tokens'),
    cacheWriteTokens: amountOf(row, 'cache_write_tokens'),
    completionTokens: amountOf(row, 'completion_tokens'),
    costMicro: amountOf(row, 'cost_micro'),
  };
}
