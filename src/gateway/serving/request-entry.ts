// A request that is over: its line in the log and its row in the request log of the database.
import { toLogLine } from '../../endpoint/index.js';
import type { RequestRow } from '../../metering/index.js';
import { toRelayFields } from '../../relay-serving/index.js';
import type { GatewayRecord } from './gateway-route.js';

/** One JSON line. */
export function toGatewayLogLine(record: GatewayRecord, status: number, endMs: number, time: string): string {
  const { key, runtimeId, isTranslated, ignored = [] } = record;
  return toLogLine(record, status, endMs, time, {
    ...(key !== undefined && { key_id: key.id }),
    ...(runtimeId !== undefined && { runtime: runtimeId }),
    ...(isTranslated === true && { translated: true }),
    ...(ignored.length > 0 && { ignored: ignored.join(',') }),
    ...toRelayFields(record),
  });
}

/** One row of the request log. `endUnixMs`: now. */
export function toRequestRow(record: GatewayRecord, status: number, endMs: number, endUnixMs: number): RequestRow {
  const { id, receivedMs, key, model, upstreamModel, runtimeId, route, firstByteMs, error } = record;
  const { admittedMs, attempts, cacheWriteTokens = 0 } = record;
  return {
    requestId: id,
    atMs: Math.round(endUnixMs - (endMs - receivedMs)),
    ...(key !== undefined && { keyId: key.id }),
    ...(model !== undefined && { model }),
    ...(upstreamModel !== undefined && { upstreamModel }),
    ...(runtimeId !== undefined && { runtimeId }),
    ...(route !== undefined && { route }),
    isStream: record.isStream ?? false,
    status,
    promptTokens: record.promptTokens ?? 0,
    completionTokens: record.completionTokens ?? 0,
    reasoningTokens: record.reasoningTokens ?? 0,
    cachedTokens: record.cachedTokens ?? 0,
    isEstimated: record.isEstimated ?? false,
    ...(firstByteMs !== undefined && { ttftMs: Math.round(firstByteMs - receivedMs) }),
    durationMs: Math.round(endMs - receivedMs),
    bytesIn: record.bytesIn ?? 0,
    bytesOut: record.bytesOut ?? 0,
    isAborted: record.isAborted ?? false,
    ...(error !== undefined && { errorCode: error.code }),
    ...(admittedMs !== undefined && { admittedMs: Math.round(admittedMs - receivedMs) }),
    ...(attempts !== undefined && { attempts }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
  };
}
