import type { Sampler } from '../sampler.js';

/** Keeps the k most likely tokens. Source: Fan et al. 2018 (arXiv 1805.04833). */
export const topK: Sampler = {
  isOff: (sampling, vocabSize) => sampling.topK <= 0 || sampling.topK >= vocabSize,
  apply(candidates, sampling) {
    candidates.keepAtLeast(candidates.weightAtRank(sampling.topK));
    candidates.keepHeaviest(sampling.topK);
  },
};
