/** One step's output of one sequence as it crosses the ring: three little-endian i32. */

import type { StepOutput } from './engine.js';
import type { FinishReason } from './request.js';

/** Bytes of a record: sequence id, token id or −1, end. */
export const OUTPUT_BYTES = 12;

const ENDS: readonly (FinishReason | 'failed' | undefined)[] = [undefined, 'stop', 'length', 'failed'];

/** A decoded record. `failed`: the logits were not finite. */
export interface OutputRecord {
  readonly sequenceId: number;
  readonly tokenId: number | undefined;
  readonly end: FinishReason | 'failed' | undefined;
}

/** Writes `output` into `record` and returns it. */
export function encodeOutput(output: StepOutput, record: Uint8Array): Uint8Array {
  const view = new DataView(record.buffer, record.byteOffset, OUTPUT_BYTES);
  view.setInt32(0, output.sequenceId, true);
  view.setInt32(4, output.tokenId ?? -1, true);
  view.setInt32(8, ENDS.indexOf(output.error === undefined ? output.finishReason : 'failed'), true);
  return record;
}

/** The record in `bytes`. */
export function decodeOutput(bytes: Uint8Array): OutputRecord {
  const view = new DataView(bytes.buffer, bytes.byteOffset, OUTPUT_BYTES);
  const tokenId = view.getInt32(4, true);
  return {
    sequenceId: view.getInt32(0, true),
    tokenId: tokenId < 0 ? undefined : tokenId,
    end: ENDS[view.getInt32(8, true)],
  };
}
