/**
 * Half and brain floats. Sources: IEEE 754-2019 binary16; bfloat16 is the upper half of binary32.
 * Rounding is to nearest, ties to even. Byte order is the machine's: little-endian, as WebAssembly's always is.
 */

// 2^(index − 24) for index 0…48: every power that a binary16 number is scaled by.
const POWERS: readonly number[] = Array.from({ length: 49 }, (_, index) => 2 ** (index - 24));
// Adding and taking away 1.5 · 2^52 rounds a small double to an integer, ties to even.
const ROUND_TO_INTEGER = 6_755_399_441_055_744;
const SMALLEST_NORMAL_F16 = 2 ** -14;
const F16_OVERFLOW = 65_520;

/** The binary16 bits of a float32 value. From 65,520 on: infinity; NaN: the quiet NaN 0x7E00. */
export function f32ToF16(x: number): number {
  const sign = x < 0 || (x === 0 && 1 / x < 0) ? 0x8000 : 0;
  const magnitude = Math.abs(x);
  if (magnitude < SMALLEST_NORMAL_F16) {
    return sign | (magnitude * 16_777_216 + ROUND_TO_INTEGER - ROUND_TO_INTEGER);
  }
  if (!(magnitude < F16_OVERFLOW)) return magnitude === Infinity || magnitude >= F16_OVERFLOW ? sign | 0x7c00 : 0x7e00;
  // magnitude · 2^14 is in [1, 2^30): its bit length is the exponent.
  const exponent = 31 - Math.clz32(magnitude * 16_384);
  const significand = magnitude * (POWERS[48 - exponent] as number) + ROUND_TO_INTEGER - ROUND_TO_INTEGER;
  // A significand that rounded up to 2048 carries into the exponent by itself.
  return sign | ((exponent << 10) + significand);
}

/** The value of binary16 bits. Exact. */
export function f16ToF32(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  let magnitude: number;
  if (exponent === 31) magnitude = fraction === 0 ? Infinity : NaN;
  else if (exponent === 0) magnitude = fraction * (POWERS[0] as number);
  else magnitude = (1024 + fraction) * (POWERS[exponent - 1] as number);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/** The bfloat16 bits of the float32 whose bits are `bits`. NaN stays NaN. */
export function f32BitsToBf16(bits: number): number {
  if ((bits & 0x7fff_ffff) > 0x7f80_0000) return (bits >>> 16) | 0x40;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** out[i] = source[i] as float32. `out` may end where `source` ends: it is filled from the front. */
export function f16ArrayToF32(source: Uint16Array, out: Float32Array): void {
  for (let i = 0; i < source.length; i++) out[i] = f16ToF32(source[i] as number);
}

/** out[i] = source[i] as float32. `out` may end where `source` ends: it is filled from the front. */
export function bf16ArrayToF32(source: Uint16Array, out: Float32Array): void {
  const bits = new Uint32Array(out.buffer, out.byteOffset, source.length);
  for (let i = 0; i < source.length; i++) bits[i] = (source[i] as number) << 16;
}

/** out[i] = source[i] as binary16. */
export function f32ArrayToF16(source: Float32Array, out: Uint16Array): void {
  for (let i = 0; i < source.length; i++) out[i] = f32ToF16(source[i] as number);
}

/** out[i] = source[i] as bfloat16. */
export function f32ArrayToBf16(source: Float32Array, out: Uint16Array): void {
  const bits = new Uint32Array(source.buffer, source.byteOffset, source.length);
  for (let i = 0; i < bits.length; i++) out[i] = f32BitsToBf16(bits[i] as number);
}
