/** One step's output of one sequence as it crosses the ring: four little-endian i32. */

import type { StepOutput } from './engine.js';
import type { FinishReason } from './request.js';

/** Bytes of a record: sequence id, token id or −1, end, cached tokens or −1. */
export const OUTPUT_BYTES = 16;

/** How a sequence ended: as its caller asked, with logits that were not finite, or past its deadline. */
export type RecordEnd = FinishReason | 'failed' | 'expired';

const ENDS: readonly (RecordEnd | undefined)[] = [undefined, 'stop', 'length', 'failed', 'expired'];

/** A decoded record. */
export interface OutputRecord {
  readonly sequenceId: number;
  readonly tokenId: number | undefined;
  readonly end: RecordEnd | undefined;
  /** With the first record of a sequence: tokens of its prompt that were found in the prefix cache. */
  readonly cachedTokens: number | undefined;
}

/** Writes `output` into `record` and returns it. */
export function encodeOutput(output: StepOutput, record: Uint8Array): Uint8Array {
  const view = new DataView(record.buffer, record.byteOffset, OUTPUT_BYTES);
  view.setInt32(0, output.sequenceId, true);
  view.setInt32(4, output.tokenId ?? -1, true);
  view.setInt32(8, ENDS.indexOf(endOf(output)), true);
  view.setInt32(12, output.cachedTokens ?? -1, true);
  return record;
}

/** The record in `bytes`. */
export function decodeOutput(bytes: Uint8Array): OutputRecord {
  const view = new DataView(bytes.buffer, bytes.byteOffset, OUTPUT_BYTES);
  const count = (at: number): number | undefined => {
    const value = view.getInt32(at, true);
    return value < 0 ? undefined : value;
  };
  return {
    sequenceId: view.getInt32(0, true),
    tokenId: count(4),
    end: ENDS[view.getInt32(8, true)],
    cachedTokens: count(12),
  };
}

function endOf({ error, finishReason }: StepOutput): RecordEnd | undefined {
  if (error === undefined) return finishReason;
  return error.code === 'deadline_exceeded' ? 'expired' : 'failed';
}
