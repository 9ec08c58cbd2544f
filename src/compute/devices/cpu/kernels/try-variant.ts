import { compileIn, type CompileMode } from './compile-mode.js';
import { instantiateKernels } from './instantiate.js';
import type { KernelVariant } from './modules.js';
import type { SelfTest } from './self-test.js';

/**
 * (func (export "dot") (param i32 i32) (result i32)): the first sum of `i32x4.relaxed_dot_i8x16_i7x16_add_s` of the parameters in
 * every byte, and zeros (WebAssembly core specification 3.0, 5.4.8).
 */
const DOT_MODULE = Buffer.from(
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
export function lackOf(name: KernelVariant, mode: CompileMode): string | undefined {
  if (name !== 'vnni') return undefined;
  const { dot } = new WebAssembly.Instance(compileIn(mode, DOT_MODULE)).exports as {
    dot: (a: number, b: number) => number;
  };
  return dot(127, 255) === 4 * 127 * 255 ? undefined : 'needs a dot product of bytes that adds in 32 bits';
}

/** A variant that was tried: with its module, or the reason that excludes it. */
export type VariantTrial =
  | { readonly variant: KernelVariant; readonly module: WebAssembly.Module }
  | { readonly variant: KernelVariant; readonly reason: string };

/** Compiles `bytes` of a variant in `mode` and compares it with the reference. May end the process, by a flag of V8. */
export function tryVariant(
  variant: KernelVariant,
  mode: CompileMode,
  bytes: Uint8Array,
  selfTest: SelfTest,
): VariantTrial {
  let module: WebAssembly.Module;
  try {
    const lack = lackOf(variant, mode);
    if (lack !== undefined) return { variant, reason: lack };
    module = compileIn(mode, bytes);
  } catch (error) {
    return { variant, reason: `does not load: ${String(error)}` };
  }
  const memory = selfTest.createMemory();
  const reason = selfTest.check(instantiateKernels(module, memory), memory);
  return reason === undefined ? { variant, module } : { variant, reason };
}
