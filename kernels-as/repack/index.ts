// Blocks of a GGUF file become packed groups: one function for each quant, by the names of `RepackKernels` in
// src/weights/gguf/repack-kernels.ts. A module of its own, in plain SIMD128; bytes and bits change their places and nothing else.
export { repackQ4, repackQ4m, repackQ8 } from './whole-blocks';
export { repackQ5, repackQ5m } from './fifth-bits';
export { repackQ4k, repackQ5k } from './super-blocks';
export { repackQ6k } from './q6k';
