import { bf16 } from './bf16.js';
import { f16 } from './f16.js';
import { f32 } from './f32.js';
import { q4 } from './q4.js';
import { q4k } from './q4k.js';
import { q4m } from './q4m.js';
import { q5 } from './q5.js';
import { q5k } from './q5k.js';
import { q5m } from './q5m.js';
import { q6k } from './q6k.js';
import { q8 } from './q8.js';
import type { Quant } from './quant.js';

export type { Quant, QuantBlock } from './quant.js';

/** Every way to store a matrix. All code that depends on single quants derives from this list. */
export const quants = { f32, bf16, f16, q8, q6k, q5, q5m, q5k, q4, q4m, q4k } as const satisfies Record<string, Quant>;

/** How the numbers of a matrix are stored. */
export type QuantName = keyof typeof quants;

/** Suffixes of kernels' names. */
export type KernelSuffix = (typeof quants)[QuantName]['kernel'];

/** The names of `quants`. */
export const quantNames = Object.keys(quants) as readonly QuantName[];

/** The properties of a quant by its name. */
export function quantOf(name: QuantName): Quant {
  return quants[name];
}
