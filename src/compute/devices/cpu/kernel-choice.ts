// Which kernel serves which way of storing weights and KV cache.

import { quants, type QuantName } from '../../../weights/index.js';
import type { Attention, Embed, Kernels, KvFormat, Matmul, StoreKv } from './ops.js';

const EMBED = {
  f32: 'embedF32',
  bf16: 'embedBf16',
  f16: 'embedF16',
  q8: 'embedQ8',
  q4: 'embedQ4',
  q4m: 'embedQ4m',
} as const;
const MATMUL = {
  f32: 'matmulF32',
  bf16: 'matmulBf16',
  f16: 'matmulF16',
  q8: 'matmulQ8',
  q4: 'matmulQ4',
  q4m: 'matmulQ4m',
} as const;

/** Whether matrices of this kind multiply float32 activations; the others multiply quantised ones. */
export function isFloat(quant: QuantName): boolean {
  return !quants[quant].isInteger;
}

export function embedKernel(kernels: Kernels, quant: QuantName): Embed {
  return kernels[EMBED[quant]];
}

export function matmulKernel(kernels: Kernels, quant: QuantName): Matmul {
  return kernels[MATMUL[quant]];
}

export function kvKernels(kernels: Kernels, format: KvFormat): { store: StoreKv; attend: Attention } {
  return format === 'f32'
    ? { store: kernels.storeKvF32, attend: kernels.attentionF32 }
    : { store: kernels.storeKvQ8, attend: kernels.attentionQ8 };
}
