// The sampler's kernels over one row of logits, by the names of `RowKernels` in src/compute/devices/cpu/logits/row-kernels.ts. A module of
// its own, in plain SIMD128 for every backend: the same logits give the same token on every machine.
export { prepare } from '../constants';
export {
  allowedAt,
  blockMaxAt,
  blockSize,
  countsAt,
  idsAt,
  listAt,
  massesAt,
  numBuckets,
  rowBytes,
  stepsAHalving,
  valuesAt,
} from './row-layout';
export { allow, copyRow, listAtLeast, maxima } from './row-values';
export { blockMasses, sumOfBlocks, weightOf } from './row-weights';
export { countBuckets, listBucket } from './row-buckets';
export { before, cutAround, cutCounts, joinBuckets, massBetween, momentBetween } from './row-cuts';
