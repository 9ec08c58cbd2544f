// All kernels, by the names of `Kernels` in src/compute/devices/cpu/kernel-interface.ts, and `prepare`, which fills a segment's constants area.
// No allocation, no static data, no start function: one instance per segment and thread over the same memory.
export { prepare } from './constants';
export { embedF32, embedBf16, embedF16 } from './embedding/embed-float';
export { embedQ8 } from './embedding/embed-q8';
export { embedQ4, embedQ4m } from './embedding/embed-nibbles';
export { embedQ4k, embedQ5, embedQ5k, embedQ5m, embedQ6k } from './super/embed';
export { addNorm, rmsNorm } from './rows/rms-norm';
export { softCap } from './rows/soft-cap';
export { quantizeRows } from './rows/quantize-rows';
export { deltaStep } from './rows/delta-step';
export { gatherRows } from './rows/gather-rows';
export { matmulF32, matmulBf16, matmulF16 } from './matmul/float';
export { matmulQ8 } from './matmul/q8';
export { matmulQ4, matmulQ4m } from './matmul/nibbles';
export { matmulQ4k, matmulQ5, matmulQ5k, matmulQ5m, matmulQ6k } from './super/matmul';
export { normRope } from './rows/norm-rope';
export { spreadHeads } from './rows/spread-heads';
export { storeKvF32 } from './attention/store-kv-f32';
export { storeKvQ8 } from './attention/store-kv-q8';
export { attentionF32 } from './attention/attention-f32';
export { attentionQ8 } from './attention/attention-q8';
