import { amountOf, cleanText, type Database } from '../../database/index.js';
import type { Scope } from '../../metering/index.js';
import type { Traffic, TrafficQuery } from '../usage/usage-views.js';
import { COUNTED_SOON } from './count-ended.js';
import { readSpans, type PaidKind } from './span-rows.js';

/** Reads the spans of a subject. */
export async function readTraffic(database: Database, query: TrafficQuery): Promise<Traffic> {
  const { step, fromMs, toMs } = query;
  const spans = await readSpans(database, step, scopeOf(query), fromMs, toMs);
  const sql = 'SELECT (SELECT COALESCE(MAX(seq), 0) FROM ledger_chain) - seq AS waiting FROM span_watermark';
  const waiting = amountOf((await database.get(sql)) ?? {}, 'waiting');
  return { spans, isComplete: waiting <= BigInt(COUNTED_SOON) };
}

function scopeOf({ accountId, provider, model }: TrafficQuery): Scope<PaidKind> {
  if (accountId !== undefined) return `a:${cleanText(accountId, 100)}`;
  if (provider === undefined) return '';
  return model === undefined ? `p:${cleanText(provider, 100)}` : `m:${cleanText(`${provider}/${model}`, 500)}`;
}
