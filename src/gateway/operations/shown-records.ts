import { toAmount, type AuditEntry, type LoggedRequest, type UsageRow } from '../../metering/index.js';
import { entrySentence } from '../audit/entry-sentence.js';
import { toTime } from './shown-key.js';

/** A row of the request log. */
export function showRequest(row: LoggedRequest) {
  return {
    seq: row.seq,
    time: toTime(row.atMs),
    request_id: row.requestId,
    key_id: row.keyId ?? null,
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

/** A row of usage. */
export function showUsage(row: UsageRow) {
  return {
    name: row.name,
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

/** An entry of the audit log: its diff as a value, and all of it as a sentence. */
export function showEntry(entry: AuditEntry) {
  const { seq, atMs, actor, action, target, outcome, reason, diff, prevHash, hash } = entry;
  return {
    seq,
    time: toTime(atMs),
    sentence: entrySentence(entry),
    actor,
    action,
    target,
    outcome,
    reason,
    diff: parseDiff(diff),
    prev_hash: prevHash,
    hash,
  };
}

function parseDiff(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
