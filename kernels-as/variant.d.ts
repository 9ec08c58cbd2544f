// What the variants of asconfig.json set; each is folded when the kernels are compiled.

/** 1: dots add to 32 bits and take weights of 0…255 (dot.ts). */
declare const VNNI: i32;
/** 1: vectors stay 128 bits wide, so that tiles hold half as much. */
declare const NARROW: i32;
