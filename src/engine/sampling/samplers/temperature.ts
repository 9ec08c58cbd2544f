import type { Sampler } from '../sampler.js';

/** Divides logits by the temperature: above 1 flatter, below 1 sharper. At 0 only the likeliest is left, of equal ones the lowest id. */
export const temperature: Sampler = {
  isOff: ({ sampling }) => sampling.temperature === 1,
  apply(candidates, { sampling }) {
    if (sampling.temperature === 0) candidates.keepBest();
    else candidates.temperature = sampling.temperature;
  },
};
