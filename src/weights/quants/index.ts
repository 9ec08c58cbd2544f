import { bf16 } from './bf16.js';
import { f16 } from './f16.js';
import { f32 } from './f32.js';
import { q4 } from './q4.js';
import { q4m } from './q4m.js';
import { q8 } from './q8.js';
import type { Quant, QuantName } from './quant.js';

export type { Quant, QuantName } from './quant.js';

/** Every way to store a matrix. */
export const quants = { f32, bf16, f16, q8, q4, q4m } as const satisfies Record<QuantName, Quant>;

/** The names of `quants`. */
export const quantNames: readonly QuantName[] = ['f32', 'bf16', 'f16', 'q8', 'q4', 'q4m'];
