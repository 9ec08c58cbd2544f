import { roundMs, type RequestRecord } from '../endpoint/index.js';
import type { AnswerOutcome } from '../relay/index.js';
import type { RequestTrace } from '../telemetry/index.js';

/** Facts of one relayed request: never its text, its answer or its key. */
export interface RelayRecord extends RequestRecord {
  /** A model of the configuration; an unknown name in a request is not recorded. */
  model?: string;
  /** How often it was sent to an upstream. */
  attempts?: number;
  promptTokens?: number;
  completionTokens?: number;
  reasoningTokens?: number;
  cachedTokens?: number;
  cacheWriteTokens?: number;
  /** Tokens were counted here, since the upstream did not report them. */
  isEstimated?: boolean;
  /** When its reservation was made, on the same clock as when it came. */
  admittedMs?: number;
  /** When the first byte of the answer was handed on, on the same clock. */
  firstByteMs?: number;
  bytesIn?: number;
  bytesOut?: number;
  /** The client left before the end. */
  isAborted?: boolean;
  /** Absent: requests are not traced, or this one has none. */
  trace?: RequestTrace;
  /** Resolves when all of the above is known, which for a stream is after its last byte. */
  whenKnown?: Promise<void>;
}

/** The fields of a log line that all relays have. */
export function toRelayFields(record: RelayRecord): Readonly<Record<string, string | number | boolean>> {
  const { receivedMs, model, isStream, attempts, promptTokens, completionTokens, firstByteMs } = record;
  return {
    ...(model !== undefined && { model }),
    ...(isStream !== undefined && { stream: isStream }),
    ...(attempts !== undefined && attempts > 1 && { attempts }),
    ...(promptTokens !== undefined && { prompt_tokens: promptTokens }),
    ...(completionTokens !== undefined && { completion_tokens: completionTokens }),
    ...(firstByteMs !== undefined && { first_byte_ms: roundMs(firstByteMs - receivedMs) }),
  };
}

/** Notes how an answer ended. */
export function recordOutcome(record: RelayRecord, { usage, bytes, end, error }: AnswerOutcome): void {
  record.promptTokens = usage.promptTokens;
  record.completionTokens = usage.completionTokens;
  record.cachedTokens = usage.cachedTokens;
  record.cacheWriteTokens = usage.cacheWriteTokens;
  record.reasoningTokens = usage.reasoningTokens;
  record.isEstimated = usage.isEstimated;
  record.bytesOut = bytes;
  record.isAborted = end === 'left';
  // An upstream's own words are not kept.
  if (end === 'failed' && error !== undefined) {
    record.error ??= { code: 'upstream_error', message: 'the answer broke off', details: {} };
  }
}
