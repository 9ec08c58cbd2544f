import { parameter } from '../parameter.js';
import { createSampler } from '../sampler.js';

/** Drops tokens less likely than minP times the likeliest. Source: Nguyen et al. 2024 (arXiv 2407.01082). */
export const minP = createSampler({
  parameters: {
    minP: parameter({
      neutral: 0,
      min: 0,
      max: 1,
      option: {
        description: 'keep tokens at least so likely relative to the likeliest; 0 is off',
        neutralMeans: 'off',
      },
    }),
  },
  isOff: ({ sampling }) => sampling.minP <= 0,
  apply: (candidates, { sampling }) => candidates.keepLarge(sampling.minP),
});
