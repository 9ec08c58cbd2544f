import type { Sampler } from '../sampler.js';
import { minP } from './min-p.js';
import { temperature } from './temperature.js';
import { topK } from './top-k.js';
import { topP } from './top-p.js';

/** The samplers shelf, in the order in which they apply. */
export const samplers: readonly Sampler[] = [temperature, topK, topP, minP];
