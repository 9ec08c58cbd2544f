// The sampler's kernels over one row of logits, by the names of `RowKernels` in src/compute/row-kernels.ts. A module of
// its own, in plain SIMD128 for every backend: the same logits give the same token on every machine.
export { prepare } from './constants';
export {
  blockMaxAt,
  blockSize,
  blockWeightsAt,
  endAt,
  idsAt,
  listAt,
  listMassesAt,
  valuesAt,
  weightsAt,
} from './row-layout';
export { allow, listAtLeast, maxima } from './row-values';
export { totalMass, weigh, weightedHalvings } from './row-weights';
export { cutBucket, dropListed, keepBuckets, reached } from './row-nearest';
export { heaviest, keepWeights, lightestFrom } from './row-drop';
