/** Sizes of a model's cache and steps on the CPU: the inputs of `planMemory`. */

import type { ComputeGraph } from '../../../compute-graph.js';
import type { PlanRequest } from '../../../device.js';
import { fitContext } from '../../../fit-context.js';
import { needsOf } from '../../../ops/index.js';
import { blocksFor } from '../../../kv-block.js';
import type { PlannedTensor } from '../../../layout.js';
import {
  chooseKvBlocks,
  kvBlocksOf,
  kvBytesPerToken,
  stateBytes,
  stateSlotsFor,
  type KvBlocks,
  type KvSizes,
} from '../../../plan-blocks.js';
import { isFloat } from '../kernel-choice.js';
import { kvLayers, planMemory, type MemoryPlan } from './memory-plan.js';
import { segmentBytesTotal } from './segments.js';

/**
 * Rows of one step. A new request waits for such a step of another's prompt. A step reads and unpacks all weights once,
 * so one of 256 rows takes 0.97 of two of 128 (bench/log/prefill-decode.md, 'Steps').
 */
const STEP_ROWS = { usual: 256, large: 128 } as const;
/**
 * A model is large when each thread has more weights to multiply a row with. 256 rows by so many take 1.5 s at 180
 * GMAC/s a thread (Node 24, VNNI) and 3.2 s at 85 (Node 20).
 */
const LARGE_WEIGHTS_PER_THREAD = 2 ** 30;
/** A WASM memory ends at 4 GiB; the last page stays free so that no address wraps. */
const SEGMENT_BYTES = 2 ** 32 - 65_536;

/** A memory plan, and the tokens of one sequence in it. */
export interface SegmentsPlan {
  readonly plan: MemoryPlan;
  readonly contextLength: number;
  readonly kvBytesPerToken: number;
}

/** Plans a model in segments. Errors: `out_of_memory` when parts that must share a segment do not fit in one. */
export function planModel(request: PlanRequest): SegmentsPlan {
  const { graph, tensors, threads, maxSequences, maxBytes = Infinity } = request;
  const kvFormat = request.kvFormat ?? (isFloat(request.quant) ? 'f32' : 'q8');
  const layers = kvLayers(graph, kvFormat);
  const maxRows = stepRows(graph, tensors, threads);
  const sizesOf = (contextLength: number): KvSizes => ({ contextLength, maxRows, maxSequences });
  const planWith = (contextLength: number, blocks: KvBlocks): MemoryPlan =>
    planMemory(graph, tensors, {
      kvFormat,
      ...blocks,
      stateSlots: stateSlotsFor(maxSequences, stateBytes(graph.ops)),
      maxRows,
      maxSequences,
      maxBlocksPerSequence: blocksFor(contextLength),
      threads,
      segmentBytes: SEGMENT_BYTES,
    });
  const bytesWith = (contextLength: number, blocks: KvBlocks): number =>
    segmentBytesTotal(planWith(contextLength, blocks));
  const contextLength = fitContext(request, kvBytesPerToken(layers, sizesOf(request.contextLength)), (tokens) =>
    bytesWith(tokens, kvBlocksOf(layers, blocksFor(tokens), sizesOf(tokens))),
  );
  const sizes = sizesOf(contextLength);
  const blocks = chooseKvBlocks(layers, sizes, (chosen) => bytesWith(contextLength, chosen), maxBytes);
  return { contextLength, kvBytesPerToken: kvBytesPerToken(layers, sizes), plan: planWith(contextLength, blocks) };
}

function stepRows(graph: ComputeGraph, tensors: readonly PlannedTensor[], threads: number): number {
  // The matrices that multiply all rows of a prompt: neither embedding nor logits.
  const names = new Set(graph.ops.filter(({ op }) => op !== 'logits').flatMap((op) => needsOf(op).matrices));
  const weights = tensors
    .filter(({ of }) => of.some((name) => names.has(name)))
    .reduce((sum, { rows, columns }) => sum + rows * columns, 0);
  return weights > threads * LARGE_WEIGHTS_PER_THREAD ? STEP_ROWS.large : STEP_ROWS.usual;
}
