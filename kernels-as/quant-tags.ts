// Types that say for which quant a kernel of several is compiled. A tag Q is one of the language's number types, so that
// conditions on it are decided while the kernel is compiled, which a call of a function of ours would not be:
// `isFloat<Q>()` asks whether blocks have minima (q4m), `sizeof<Q>() == 1` whether a weight is a whole byte (q8).

/** Four bits that count from a zero point of 8, with a scale (weights/quants/q4.ts). */
export type Q4 = i32;
/** Four bits that count from the block's own minimum, with a scale (weights/quants/q4m.ts). */
export type Q4m = f32;
/** Whole bytes with a scale (weights/quants/q8.ts). */
export type Q8 = i8;
/**
 * Bytes of up to six bits with a scale and a minimum, as the quants of `super/` are unpacked (super/unpacked.ts): `isFloat<Q>()`,
 * and `sizeof<Q>() == 8` says that sums need 32 bits.
 */
export type Wide = f64;
