import type { Sampler } from '../sampler.js';

/** Keeps the k most likely tokens, of equal ones the lowest ids. Source: Fan et al. 2018 (arXiv 1805.04833). */
export const topK: Sampler = {
  isOff: ({ sampling }) => sampling.topK <= 0,
  apply: (candidates, { sampling }) => candidates.keepHeaviest(sampling.topK),
};
