import type { Sampler } from '../sampler.js';

/** Divides logits by the temperature: above 1 flatter, below 1 sharper. */
export const temperature: Sampler = {
  isOff: (sampling) => sampling.temperature === 1,
  apply(candidates, sampling) {
    const { weights, count } = candidates;
    for (let i = 0; i < count; i++) weights[i] = (weights[i] as number) / sampling.temperature;
  },
};
