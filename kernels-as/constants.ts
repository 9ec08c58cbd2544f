/**
 * The constants area: the first page of every segment. Kernels load their masks and coefficients from here, because V8
 * builds a literal vector anew in every turn of a loop (bench/log/kernels.md). Each constant fills 32 bytes, twice the
 * same 16, so that the two halves of a pair of vectors load adjacent bytes and the revectorizer can pack them.
 */

/** Bytes 0…1023 stay unused: the compiler folds address arithmetic on the promise that nothing lies there. */
const BASE: usize = 1024;

/** u8 [32] of 0x0f: the low nibbles. */
export const NIBBLES: usize = BASE;
/** i16 [16] of 0x000f: the lowest nibble of each 16-bit lane. */
export const NIBBLES_16: usize = BASE + 32;
/** i32 [8]: sign, exponent and mantissa of an f16 that was sign-extended and shifted left by 13. */
export const HALF_MASK: usize = BASE + 64;
/** f32 [8] of 2^112: moves the exponent of an f16 (bias 15) to that of an f32 (bias 127); exact for subnormals too. */
export const HALF_BIAS: usize = BASE + 96;
/** i16 [16] of 1. */
export const ONES_16: usize = BASE + 128;

/** Coefficients of exp, f32 [8] each: limits, 1 / ln 2, ln 2 in two parts, then the polynomial. */
export const EXP_LEAST: usize = BASE + 160;
export const EXP_MOST: usize = BASE + 192;
export const EXP_LOG2E: usize = BASE + 224;
export const EXP_LN2_HIGH: usize = BASE + 256;
export const EXP_LN2_LOW: usize = BASE + 288;
export const EXP_P0: usize = BASE + 320;
export const EXP_P1: usize = BASE + 352;
export const EXP_P2: usize = BASE + 384;
export const EXP_P3: usize = BASE + 416;
export const EXP_P4: usize = BASE + 448;
export const EXP_P5: usize = BASE + 480;
export const ONE: usize = BASE + 512;
/** i32 [8] of 127: the bias of an f32's exponent. */
export const EXPONENT_BIAS: usize = BASE + 544;

/** i8 [32] of −128: its exclusive or lifts int8 by 128 to a number of 0…255. */
export const FLIP: usize = BASE + 576;
/** f32 [8] of 0. */
export const ZERO: usize = BASE + 608;

/** Quantisation: f32 [8] of the number just below 0.5, of 127 and of −127; i32 [8] with only the sign bit. */
export const ALMOST_HALF: usize = BASE + 704;
export const INT8_MOST: usize = BASE + 736;
export const INT8_LEAST: usize = BASE + 768;
export const SIGN: usize = BASE + 800;

/** Coefficients of 2^x, f32 [8] each: the most halvings, what rounds to whole numbers, then the polynomial. */
export const EXP2_MOST: usize = BASE + 832;
export const EXP2_ROUNDING: usize = BASE + 864;
export const EXP2_P0: usize = BASE + 896;
export const EXP2_P1: usize = BASE + 928;
export const EXP2_P2: usize = BASE + 960;
export const EXP2_P3: usize = BASE + 992;
export const EXP2_P4: usize = BASE + 1024;
export const EXP2_P5: usize = BASE + 1056;
/** i32 [8]: the bits of EXP2_ROUNDING plus 35 and the bias of an exponent. */
export const WEIGHT_EXPONENT: usize = BASE + 1088;

/** The sampler's: f32 [8] of Infinity; i32 [8] of the four lowest bits. */
export const INFINITY_F32: usize = BASE + 1120;
export const NIBBLE_BITS: usize = BASE + 1152;
/** f32 [8] of 2^23: what is added to a smaller whole number leaves it in the low bits. */
export const WHOLE_BITS: usize = BASE + 1280;

/** f32 [8] of −126: the least power of two that has all its digits. */
export const POWER_LEAST: usize = BASE + 1312;
/** f32 [8] of −2^109: HALF_BIAS by −1/8, for minima that meet −8 times a sum. */
export const MINIMUM_BIAS: usize = BASE + 1856;
/** f32 [8] of 2^109: HALF_BIAS by 1/8, for minima that are subtracted and meet −8 times a sum. */
export const EIGHTH_BIAS: usize = BASE + 2048;
/** i32 [8] of 0xff. */
export const LOW_BYTES: usize = BASE + 2080;
/** u8 [32]: the six lowest bits, and the bits 4, 4 and 5. */
export const SIX_BITS: usize = BASE + 2112;
export const BIT_4: usize = BASE + 2144;
export const BITS_4_5: usize = BASE + 2176;
/** i32 [8] of 0xffff. */
export const LOW_WORDS: usize = BASE + 1888;
/** i32 [32]: 0 … 31, the places of a block's tokens. */
export const PLACES: usize = BASE + 1920;
/** f32 [4][32] of 0: the scores of four queries before the first group of dims. The page is never written, and so is zero. */
export const NO_SCORES: usize = BASE + 1344;

function put(at: usize, value: v128): void {
  v128.store(at, value);
  v128.store(at, value, 16);
}

/** Writes the constants. Every thread that opens a segment does, with the same bytes, so it may happen at any time. */
export function prepare(): void {
  put(NIBBLES, i8x16.splat(0x0f));
  put(NIBBLES_16, i16x8.splat(0x0f));
  put(HALF_MASK, i32x4.splat(0x8fffffff));
  put(HALF_BIAS, i32x4.splat(0x77800000));
  put(ONES_16, i16x8.splat(1));
  // Least and most keep the exponent below within 1…254. Polynomial: Cephes, single/expf.c.
  put(EXP_LEAST, f32x4.splat(-87.33654));
  put(EXP_MOST, f32x4.splat(88.0));
  put(EXP_LOG2E, f32x4.splat(1.44269504088896341));
  put(EXP_LN2_HIGH, f32x4.splat(0.693359375));
  put(EXP_LN2_LOW, f32x4.splat(-2.1219444e-4));
  put(EXP_P0, f32x4.splat(1.98756915e-4));
  put(EXP_P1, f32x4.splat(1.3981999507e-3));
  put(EXP_P2, f32x4.splat(8.3334519073e-3));
  put(EXP_P3, f32x4.splat(4.1665795894e-2));
  put(EXP_P4, f32x4.splat(1.6666665459e-1));
  put(EXP_P5, f32x4.splat(5.0000001201e-1));
  put(ONE, f32x4.splat(1));
  put(EXPONENT_BIAS, i32x4.splat(127));
  put(ALMOST_HALF, i32x4.splat(0x3effffff));
  put(INT8_MOST, f32x4.splat(127));
  put(INT8_LEAST, f32x4.splat(-127));
  put(SIGN, i32x4.splat(0x80000000));
  // 2^(33 − 160) is the first power that an exponent of 0 stands for: there the product is 0. Polynomial: Cephes,
  // single/exp2f.c. 3 · 2^22: numbers this large have no fraction.
  put(EXP2_MOST, f32x4.splat(160));
  put(EXP2_ROUNDING, f32x4.splat(12582912));
  put(EXP2_P0, f32x4.splat(1.5353361883195e-4));
  put(EXP2_P1, f32x4.splat(1.339887440266574e-3));
  put(EXP2_P2, f32x4.splat(9.61843735767464e-3));
  put(EXP2_P3, f32x4.splat(5.550332471162809e-2));
  put(EXP2_P4, f32x4.splat(2.402264791363012e-1));
  put(EXP2_P5, f32x4.splat(6.931472028550421e-1));
  put(WEIGHT_EXPONENT, i32x4.splat(0x4b400000 + 33 + 127));
  put(INFINITY_F32, f32x4.splat(Infinity));
  put(NIBBLE_BITS, i32x4(1, 2, 4, 8));
  put(WHOLE_BITS, f32x4.splat(8388608));
  put(FLIP, i8x16.splat(-128));
  put(ZERO, f32x4.splat(0));
  put(POWER_LEAST, f32x4.splat(-126));
  put(MINIMUM_BIAS, f32x4.splat(-6.490371073168535e32));
  put(LOW_WORDS, i32x4.splat(0xffff));
  put(EIGHTH_BIAS, f32x4.splat(6.490371073168535e32));
  put(LOW_BYTES, i32x4.splat(0xff));
  put(SIX_BITS, i8x16.splat(0x3f));
  put(BIT_4, i8x16.splat(0x10));
  put(BITS_4_5, i8x16.splat(0x30));
  for (let place = 0; place < 32; place++) store<i32>(PLACES + ((<usize>place) << 2), place);
}
