import type { DecodeBlock } from './decode-block.js';
import { iq1 } from './iq1.js';
import { iq2AndIq3 } from './iq2-iq3.js';
import { kQuants } from './k-quants.js';
import { lossless } from './lossless.js';
import { tablesOf16 } from './tables-of-16.js';
import { ternary } from './ternary.js';

export type { DecodeBlock } from './decode-block.js';

/** Block types that can be read as float32, by GGML's names. */
export const blockDecoders: ReadonlyMap<string, DecodeBlock> = new Map(
  Object.entries({ ...lossless, ...kQuants, ...tablesOf16, ...ternary, ...iq2AndIq3, ...iq1 }),
);
