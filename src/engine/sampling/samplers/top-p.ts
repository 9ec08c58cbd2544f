import type { Sampler } from '../sampler.js';

/** Keeps the fewest tokens whose probabilities reach topP together, at least one. Source: Holtzman et al. 2019 (arXiv 1904.09751). */
export const topP: Sampler = {
  isOff: ({ sampling }) => sampling.topP >= 1,
  apply: (candidates, { sampling }) => candidates.keepLikeliest(sampling.topP),
};
