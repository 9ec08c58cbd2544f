import { compileIn, type CompileMode } from './compile-mode.js';
import type { KernelModule } from './modules.js';

/**
 * (func (export "dot") (param i32 i32) (result i32)): the first sum of `i32x4.relaxed_dot_i8x16_i7x16_add_s` of the parameters in
 * every byte, and zeros (WebAssembly core specification 3.0, 5.4.8).
 */
const MODULE = Uint8Array.of(
  0x00,
  0x61,
  0x73,
  0x6d,
  0x01,
  0x00,
  0x00,
  0x00,
  // Types, functions and exports.
  0x01,
  0x07,
  0x01,
  0x60,
  0x02,
  0x7f,
  0x7f,
  0x01,
  0x7f,
  0x03,
  0x02,
  0x01,
  0x00,
  0x07,
  0x07,
  0x01,
  0x03,
  0x64,
  0x6f,
  0x74,
  0x00,
  0x00,
  // Code: both parameters splat to v128, a v128 of zeros, the dot product, its first lane.
  0x0a,
  0x24,
  0x01,
  0x22,
  0x00,
  0x20,
  0x00,
  0xfd,
  0x0f,
  0x20,
  0x01,
  0xfd,
  0x0f,
  0xfd,
  0x0c,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0xfd,
  0x93,
  0x02,
  0xfd,
  0x1b,
  0x00,
  0x0b,
);

/**
 * Why the CPU lacks what `name` is for; undefined where it has it. vnni needs a relaxed dot product that takes unsigned bytes on
 * its right and adds in 32 bits. Other CPUs add pairs in 16 bits, where these overflow. The self-test finds the same, after the
 * whole variant was compiled. Throws where V8 has no relaxed instructions.
 */
export function lackOf(name: KernelModule, mode: CompileMode): string | undefined {
  if (name !== 'vnni') return undefined;
  const { dot } = new WebAssembly.Instance(compileIn(mode, MODULE)).exports as {
    dot: (a: number, b: number) => number;
  };
  return dot(127, 255) === 4 * 127 * 255 ? undefined : 'needs a dot product of bytes that adds in 32 bits';
}
