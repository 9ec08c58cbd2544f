import { parameter } from '../parameter.js';
import { createSampler } from '../sampler.js';

/** Keeps the k most likely tokens, of equal ones the lowest ids. Source: Fan et al. 2018 (arXiv 1805.04833). */
export const topK = createSampler({
  parameters: {
    topK: parameter({
      neutral: 0,
      whole: true,
      min: -1,
      note: '0 or -1 is off',
      option: {
        description: 'keep so many of the likeliest tokens; 0 is off',
        neutralMeans: 'off',
      },
    }),
  },
  isOff: ({ sampling }) => sampling.topK <= 0,
  apply: (candidates, { sampling }) => candidates.keepHeaviest(sampling.topK),
});
