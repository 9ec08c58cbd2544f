import { compileIn, type CompileMode } from './compile-mode.js';
import type { KernelModule } from './modules.js';

/**
 * (func (export "dot") (param i32 i32) (result i32)): the first sum of `i32x4.relaxed_dot_i8x16_i7x16_add_s` of the parameters in
 * every byte, and zeros (WebAssembly core specification 3.0, 5.4.8).
 */
const MODULE = Buffer.from(
  [
    // Magic, types, functions, exports.
    '0061736d01000000 01070160027f7f017f 03020100 070701 03646f74 0000',
    // Code: both parameters splat to v128, a v128 of zeros, the dot product, its first lane.
    '0a2401 2200 2000fd0f 2001fd0f fd0c00000000000000000000000000000000 fd9302 fd1b00 0b',
  ]
    .join('')
    .replaceAll(' ', ''),
  'hex',
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
