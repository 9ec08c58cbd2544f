import { createMatrixKernels } from '../kernel-choice.js';
import type { Kernels } from '../kernel-interface.js';
import { compileRowKernels } from '../logits/row-kernels.js';
import type { KernelSet } from '../kernel-set.js';
import { createAttention } from './attention.js';
import { createEmbed } from './embed.js';
import { createStoreKv } from './kv-cache.js';
import { createMatmul } from './matmul.js';
import { createQuantizeRows } from './quantize.js';
import {
  createDeltaStep,
  createGatherRows,
  createNorm,
  createNormRope,
  createSoftCap,
  createSpreadHeads,
} from './rows.js';
import { createViews } from './views.js';

/**
 * The slow twin of every other set of kernels: each operation in plain TypeScript over the same memory layout, summing in float64,
 * rounding to float32 where integers depend on it. `memory` must have its final size. For one thread.
 */
export function createReferenceKernels(memory: ArrayBufferLike): Kernels {
  const views = createViews(memory);
  return {
    ...createMatrixKernels(
      (quant) => createEmbed(views, quant),
      (quant) => createMatmul(views, quant),
    ),
    rmsNorm: createNorm(views, false),
    addNorm: createNorm(views, true),
    softCap: createSoftCap(views),
    quantizeRows: createQuantizeRows(views),
    gatherRows: createGatherRows(views),
    normRope: createNormRope(views),
    spreadHeads: createSpreadHeads(views),
    deltaStep: createDeltaStep(views),
    storeKvF32: createStoreKv(views, 'f32'),
    storeKvQ8: createStoreKv(views, 'q8'),
    attentionF32: createAttention(views, 'f32'),
    attentionQ8: createAttention(views, 'q8'),
  };
}

/** The reference's kernels: right, and too slow for more than tests. */
export const reference: KernelSet = {
  prepare: async () =>
    Promise.resolve({ set: 'reference', variant: 'reference', rowModule: compileRowKernels(), notes: [] }),
  createKernels: (_prepared, memory) => createReferenceKernels(memory.buffer),
};
