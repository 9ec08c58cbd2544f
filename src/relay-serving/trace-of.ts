import { toRequestSpans, type OtlpSpan } from '../telemetry/index.js';
import type { RelayRecord } from './relay-record.js';

/** Attributes of a request's spans beside its record. */
export interface TraceAbout {
  readonly status: number;
  readonly operation: string | undefined;
  /** The name of the upstream that answered; undefined: none was asked. */
  readonly upstream: string | undefined;
  /** The upstream's name for the model, where it is known. */
  readonly upstreamModel?: string | undefined;
  readonly keyId: string | undefined;
  readonly accountId?: string | undefined;
  /** On the clock of the record. */
  readonly endMs: number;
  /** The same moment, in milliseconds since 1970. */
  readonly endUnixMs: number;
}

/** The spans of a request that is over; none where it is not traced. */
export function traceOf(record: RelayRecord, about: TraceAbout): readonly OtlpSpan[] {
  const { trace, method, route, receivedMs, admittedMs, firstByteMs, model, attempts, error } = record;
  if (trace?.isSampled !== true) return [];
  const { promptTokens, completionTokens, cachedTokens } = record;
  return toRequestSpans({
    upstreamModel: undefined,
    accountId: undefined,
    ...about,
    trace,
    method,
    route,
    errorCode: error?.code,
    receivedMs,
    sentMs: admittedMs,
    firstByteMs,
    model,
    attempts,
    inputTokens: promptTokens,
    outputTokens: completionTokens,
    cachedTokens,
  });
}
