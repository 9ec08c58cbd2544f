import type { Quant } from './quant.js';
import { superBlocks } from '../blocks/super-blocks.js';

/** 4 bits in super-blocks of 256 columns, as GGML's Q4_K: two levels of scales and minima (blocks/super-blocks.ts). 4.5 bits a weight. */
export const q4k = {
  name: 'q4k',
  kernel: 'Q4k',
  bits: 4,
  ggml: 'Q4_K',
  ...superBlocks('q4k', 4),
} as const satisfies Quant;
