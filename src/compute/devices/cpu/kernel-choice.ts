// Which kernel serves which way of storing weights and KV cache.

import { quantNames, quantOf, quants, type KernelSuffix, type QuantName } from '../../../weights/index.js';
import type { KvFormat } from '../../kv-block.js';
import type { Attention, Embed, Kernels, Matmul, MatrixKernels, StoreKv } from './kernel-interface.js';

/** Whether matrices of this kind multiply float32 activations; the others multiply quantised ones. */
export function isFloat(quant: QuantName): boolean {
  return quantOf(quant).activations === 'f32';
}

/** The name of the kernel that reads rows of a table stored as `quant`. */
export function embedName(quant: QuantName): `embed${KernelSuffix}` {
  return `embed${quants[quant].kernel}`;
}

/** The name of the kernel that multiplies by a matrix stored as `quant`. */
export function matmulName(quant: QuantName): `matmul${KernelSuffix}` {
  return `matmul${quants[quant].kernel}`;
}

export function embedKernel(kernels: Kernels, quant: QuantName): Embed {
  return kernels[embedName(quant)];
}

export function matmulKernel(kernels: Kernels, quant: QuantName): Matmul {
  return kernels[matmulName(quant)];
}

/** The kernels of all quants, each made by its function. */
export function createMatrixKernels(
  embed: (quant: QuantName) => Embed,
  matmul: (quant: QuantName) => Matmul,
): MatrixKernels {
  const kernels: { -readonly [Name in keyof MatrixKernels]?: MatrixKernels[Name] } = {};
  for (const quant of quantNames) {
    kernels[embedName(quant)] = embed(quant);
    kernels[matmulName(quant)] = matmul(quant);
  }
  return kernels as MatrixKernels; // complete: the keys of the type come from the same list
}

export function kvKernels(kernels: Kernels, format: KvFormat): { store: StoreKv; attend: Attention } {
  return format === 'f32'
    ? { store: kernels.storeKvF32, attend: kernels.attentionF32 }
    : { store: kernels.storeKvQ8, attend: kernels.attentionQ8 };
}
