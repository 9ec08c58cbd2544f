// The sampler's kernels over one row of logits, by the names of `RowKernels` in src/compute/row-kernels.ts. A module of
// its own, in plain SIMD128 for every backend: the same logits give the same token on every machine.
export { prepare } from './constants';
export {
  blockMaxAt,
  blockSize,
  blockSumsAt,
  blockWeightsAt,
  bucketsAHalving,
  finalMassesAt,
  finalsAt,
  idsAt,
  listAt,
  listMassesAt,
  rowBytes,
  valuesAt,
  weightsAt,
} from './row-layout';
export { allow, copyRow, listAtLeast, maxima } from './row-values';
export { blockHalvings, blockMasses, sumOfBlocks, weigh } from './row-weights';
export { countByHalvings } from './row-table';
export { dropListed, findCut, findFinals, keepNear, reached } from './row-nearest';
export { heaviest, keepWeights, lightestFrom } from './row-drop';
