/**
 * One step's output of one sequence as a ring record: four little-endian i32. With logprobs follow the token's own in
 * f32, and for each alternative its i32 id and its f32 logprob. Without a token an embedding in f32 may follow.
 */

import { assert } from '../../base/index.js';
import type { FinishReason, TokenLogprobs } from '../request.js';
import { MAX_LOGPROB_ALTERNATIVES } from '../sampling/sampling-check.js';
import type { StepOutput } from '../step-output.js';

/** Bytes of a record without logprobs: sequence id, token id or −1, end, cached tokens or −1. */
const PLAIN_BYTES = 16;
const ALTERNATIVE_BYTES = 8;
const MAX_LOGPROBS_BYTES = 4 + MAX_LOGPROB_ALTERNATIVES * ALTERNATIVE_BYTES;

/** Bytes of the longest record of a model with `hiddenSize`. */
export function maxOutputBytes(hiddenSize: number): number {
  return PLAIN_BYTES + Math.max(MAX_LOGPROBS_BYTES, hiddenSize * 4);
}

/** How a sequence ended, an error included. */
export type RecordEnd = FinishReason | SequenceError;

/** Errors that end only one sequence: the record has the code, and the client makes the error. */
const ERRORS = ['numeric_failure', 'deadline_exceeded', 'grammar_too_slow'] as const;
export type SequenceError = (typeof ERRORS)[number];

const ENDS: readonly (RecordEnd | undefined)[] = [undefined, 'stop', 'length', 'constraint', ...ERRORS];

/** A decoded record. */
export interface OutputRecord {
  readonly sequenceId: number;
  readonly tokenId: number | undefined;
  readonly logprobs: TokenLogprobs | undefined;
  readonly end: RecordEnd | undefined;
  /** With the first record of a sequence: tokens of its prompt from the prefix cache. */
  readonly cachedTokens: number | undefined;
  /** f32 [hiddenSize], with the end of a sequence that asked for it. */
  readonly embedding: Float32Array | undefined;
}

/** Writes `output` into `buffer` [maxOutputBytes] and returns the written part. */
export function encodeOutput(output: StepOutput, buffer: Uint8Array): Uint8Array {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  view.setInt32(0, output.sequenceId, true);
  view.setInt32(4, output.tokenId ?? -1, true);
  view.setInt32(8, ENDS.indexOf(endOf(output)), true);
  view.setInt32(12, output.cachedTokens ?? -1, true);
  if (output.embedding !== undefined) {
    output.embedding.forEach((value, i) => view.setFloat32(PLAIN_BYTES + i * 4, value, true));
    return buffer.subarray(0, PLAIN_BYTES + output.embedding.length * 4);
  }
  if (output.logprobs === undefined) return buffer.subarray(0, PLAIN_BYTES);
  view.setFloat32(PLAIN_BYTES, output.logprobs.logprob, true);
  let at = PLAIN_BYTES + 4;
  for (const { tokenId, logprob } of output.logprobs.top) {
    view.setInt32(at, tokenId, true);
    view.setFloat32(at + 4, logprob, true);
    at += ALTERNATIVE_BYTES;
  }
  return buffer.subarray(0, at);
}

/** The record in `bytes`. */
export function decodeOutput(bytes: Uint8Array): OutputRecord {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = (at: number): number | undefined => {
    const value = view.getInt32(at, true);
    return value < 0 ? undefined : value;
  };
  const tokenId = count(4);
  const hasMore = bytes.byteLength > PLAIN_BYTES;
  return {
    sequenceId: view.getInt32(0, true),
    tokenId,
    logprobs: hasMore && tokenId !== undefined ? decodeLogprobs(view) : undefined,
    embedding: hasMore && tokenId === undefined ? decodeEmbedding(view) : undefined,
    end: ENDS[view.getInt32(8, true)],
    cachedTokens: count(12),
  };
}

function endOf({ error, finishReason }: StepOutput): RecordEnd | undefined {
  if (error === undefined) return finishReason;
  const code = ERRORS.find((one) => one === error.code);
  assert(code !== undefined, 'a sequence ends with an error that its caller knows');
  return code;
}

function decodeEmbedding(view: DataView): Float32Array {
  return Float32Array.from({ length: (view.byteLength - PLAIN_BYTES) / 4 }, (_, i) =>
    view.getFloat32(PLAIN_BYTES + i * 4, true),
  );
}

function decodeLogprobs(view: DataView): TokenLogprobs {
  const first = PLAIN_BYTES + 4;
  const top = Array.from({ length: (view.byteLength - first) / ALTERNATIVE_BYTES }, (_, i) => ({
    tokenId: view.getInt32(first + i * ALTERNATIVE_BYTES, true),
    logprob: view.getFloat32(first + i * ALTERNATIVE_BYTES + 4, true),
  }));
  return { logprob: view.getFloat32(PLAIN_BYTES, true), top };
}
