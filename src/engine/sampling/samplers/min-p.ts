import type { Sampler } from '../sampler.js';

/** Drops tokens less likely than minP times the likeliest. Source: Nguyen et al. 2024 (arXiv 2407.01082). */
export const minP: Sampler = {
  isOff: ({ sampling }) => sampling.minP <= 0,
  apply: (candidates, { sampling }) => candidates.keepLarge(sampling.minP),
};
