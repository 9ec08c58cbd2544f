import type { Sampler } from '../sampler.js';

/** Keeps the fewest tokens whose probabilities reach topP together, at least one. Source: Holtzman et al. 2019 (arXiv 1904.09751). */
export const topP: Sampler = {
  isOff: (sampling) => sampling.topP >= 1,
  apply(candidates, sampling) {
    candidates.normalize();
    // What is lighter than this cannot be needed: all of it together weighs less than 1 − topP. Saves sorting a vocabulary.
    candidates.keepAtLeast((1 - sampling.topP) / candidates.count);
    candidates.keepHeaviest(candidates.count);
    let sum = 0;
    let kept = 0;
    while (kept < candidates.count && (kept === 0 || sum < sampling.topP)) {
      sum += candidates.weights[kept] as number;
      kept++;
    }
    candidates.count = kept;
    toLogits(candidates.weights, kept);
  },
};

/** Back from probabilities, so that samplers can follow one another. */
function toLogits(weights: Float32Array, count: number): void {
  for (let i = 0; i < count; i++) weights[i] = Math.log(weights[i] as number);
}
