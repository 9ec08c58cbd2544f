import { parameter } from '../parameter.js';
import { createSampler } from '../sampler.js';

/** Keeps the fewest tokens whose probabilities reach topP together, at least one. Source: Holtzman et al. 2019 (arXiv 1904.09751). */
export const topP = createSampler({
  parameters: {
    topP: parameter({
      neutral: 1,
      min: 0,
      max: 1,
      option: {
        description: 'keep the likeliest tokens of this total probability',
        neutralMeans: 'off',
      },
    }),
  },
  isOff: ({ sampling }) => sampling.topP >= 1,
  apply: (candidates, { sampling }) => candidates.keepLikeliest(sampling.topP),
});
