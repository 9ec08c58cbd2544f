import { parameter } from '../parameter.js';
import { createSampler } from '../sampler.js';

/** Divides logits by the temperature: above 1 flatter, below 1 sharper. At 0 only the likeliest is left, of equal ones the lowest id. */
export const temperature = createSampler({
  parameters: {
    temperature: parameter({
      neutral: 1,
      min: 0,
      max: 100,
      wire: { min: 0, max: 2 },
      option: { description: 'from 0, which is greedy, to 2' },
    }),
  },
  isOff: ({ sampling }) => sampling.temperature === 1,
  leavesBest: ({ sampling }) => sampling.temperature === 0,
  apply(candidates, { sampling }) {
    if (sampling.temperature === 0) candidates.keepBest();
    else candidates.temperature = sampling.temperature;
  },
});
