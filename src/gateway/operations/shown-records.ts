import {
  showAuditEntry,
  type AuditEntry,
  type LoggedRequest,
  type Meter,
  type ShownAuditEntry,
  type UsageRow,
} from '../../metering/index.js';
import { gatewayWords } from '../audit/gateway-words.js';
import { toTime } from './shown-key.js';
import { toAmount } from '../../words/index.js';

/** The name of a key; null: the key no longer exists. */
export type NameOfKey = (id: string) => string | null;

/** Names of the keys of a meter. */
export function namesOfKeys({ pages }: Pick<Meter, 'pages'>): NameOfKey {
  return (id) => pages.findKey(id)?.name ?? null;
}

/** A row of the request log. */
export function showRequest(row: LoggedRequest, nameOf: NameOfKey) {
  return {
    seq: row.seq,
    time: toTime(row.atMs),
    request_id: row.requestId,
    key_id: row.keyId ?? null,
    key_name: row.keyId === undefined ? null : nameOf(row.keyId),
    route: row.route ?? null,
    model: row.model ?? null,
    upstream_model: row.upstreamModel ?? null,
    runtime: row.runtimeId ?? null,
    stream: row.isStream,
    status: row.status ?? null,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    reasoning_tokens: row.reasoningTokens,
    cached_tokens: row.cachedTokens,
    cache_write_tokens: row.cacheWriteTokens ?? 0,
    estimated: row.isEstimated,
    first_byte_ms: row.ttftMs ?? null,
    duration_ms: row.durationMs ?? null,
    bytes_in: row.bytesIn,
    bytes_out: row.bytesOut,
    aborted: row.isAborted,
    error_code: row.errorCode ?? null,
  };
}

/** Parameters of sums of usage: key, model, span and grouping. */
export interface UsageAsked {
  readonly by: Parameters<Meter['usage']>[0]['by'];
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
}

/** The sums of usage, with the names of keys where they are by key. */
export function readUsage(meter: Meter, { by, fromMs, toMs, keyId, model }: UsageAsked) {
  const rows = meter.usage({
    by,
    ...(fromMs !== undefined && { from: fromMs }),
    ...(toMs !== undefined && { to: toMs }),
    ...(keyId !== undefined && { keyId }),
    ...(model !== undefined && { model }),
  });
  const nameOf = by === 'key' ? namesOfKeys(meter) : undefined;
  return rows.map((row) => showUsage(row, nameOf));
}

/** A row of usage. `nameOf`: of rows by key. */
export function showUsage(row: UsageRow, nameOf?: NameOfKey) {
  return {
    name: row.name,
    key_name: nameOf?.(row.name) ?? null,
    requests: row.requests,
    estimated_requests: row.estimatedRequests,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    cached_tokens: row.cachedTokens,
    reasoning_tokens: row.reasoningTokens,
    charged_tokens: row.chargedTokens,
    uncharged_tokens: row.unchargedTokens,
    cost: row.currency === undefined ? null : toAmount(row.costMicro),
    currency: row.currency ?? null,
  };
}

/** An entry of the audit log. */
export const showEntry = (entry: AuditEntry): ShownAuditEntry => showAuditEntry(entry, gatewayWords);
