import type { Quant } from './quant.js';
import { superBlocks } from '../blocks/super-blocks.js';

/** 5 bits in super-blocks of 256 columns, as GGML's Q5_K: two levels of scales and minima (blocks/super-blocks.ts). 5.5 bits a weight. */
export const q5k = {
  name: 'q5k',
  kernel: 'Q5k',
  bits: 5,
  ggml: 'Q5_K',
  ...superBlocks('q5k', 5),
} as const satisfies Quant;
