// All kernels, by the names of `Kernels` in src/compute/devices/cpu/kernel-interface.ts, and `prepare`, which fills a segment's constants area.
// No allocation, no static data, no start function: one instance per segment and thread over the same memory.
export { prepare } from './constants';
export { embedF32 } from './embedding/embed-f32';
export { embedBf16 } from './embedding/embed-bf16';
export { embedF16 } from './embedding/embed-f16';
export { embedQ8 } from './embedding/embed-q8';
export { embedQ4 } from './embedding/embed-q4';
export { embedQ4m } from './embedding/embed-q4m';
export { embedQ4k, embedQ5, embedQ5k, embedQ5m, embedQ6k } from './super/embed';
export { addNorm, rmsNorm } from './rows/rms-norm';
export { quantizeRows } from './rows/quantize-rows';
export { gatherRows } from './rows/gather-rows';
export { matmulF32 } from './matmul/f32';
export { matmulBf16 } from './matmul/bf16';
export { matmulF16 } from './matmul/f16';
export { matmulQ8 } from './matmul/q8';
export { matmulQ4 } from './matmul/q4';
export { matmulQ4m } from './matmul/q4m';
export { matmulQ4k, matmulQ5, matmulQ5k, matmulQ5m, matmulQ6k } from './super/matmul';
export { normRope } from './rows/norm-rope';
export { spreadHeads } from './rows/spread-heads';
export { storeKvF32 } from './attention/store-kv-f32';
export { storeKvQ8 } from './attention/store-kv-q8';
export { attentionF32 } from './attention/attention-f32';
export { attentionQ8 } from './attention/attention-q8';
