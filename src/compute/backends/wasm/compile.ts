import { readFile } from 'node:fs/promises';
import { AppError } from '../../../base/index.js';
import type { KernelChoice, RejectedVariants } from '../backend.js';
import { resetCompilerFlags, setKernelFlags } from './flags.js';
import { instantiateKernels } from './instantiate.js';
import { createSelfTest, type SelfTest } from './self-test.js';

/**
 * A variant. portable takes plain SIMD128 only; the others, which all give the same bits, relaxed instructions too:
 * narrow in tiles for registers of 128 bits, relaxed in tiles for 256, vnni where one instruction multiplies bytes and
 * adds to 32 bits.
 */
export type KernelVariant = 'portable' | 'narrow' | 'relaxed' | 'vnni';

/** All variants, the one expected to be fastest first. */
export const kernelVariants: readonly KernelVariant[] = ['vnni', 'relaxed', 'narrow', 'portable'];

/** The chosen variant, ready for `instantiateKernels` on any thread. */
export interface CompiledKernels {
  readonly variant: KernelVariant;
  readonly module: WebAssembly.Module;
  readonly rejected: RejectedVariants;
}

/**
 * How much faster portable must be to displace another variant: more than the noise of a millisecond's measurement,
 * because its bits are others and equal runs should choose alike.
 */
const CLEARLY_FASTER = 1.5;

interface Trial {
  readonly variant: KernelVariant;
  readonly module: WebAssembly.Module | undefined;
  readonly reason: string | undefined;
  readonly micros: number;
}

/** Compiles one variant from dist/kernels, where kernels-as/build.mjs puts it, with V8's flags set meanwhile. */
export async function loadVariant(variant: KernelVariant): Promise<WebAssembly.Module> {
  const bytes = await readFile(new URL(`../../../../kernels/${variant}.wasm`, import.meta.url));
  setKernelFlags();
  try {
    // Not WebAssembly.compile: with these flags Node 24 lets an otherwise idle process end before it settles.
    return new WebAssembly.Module(bytes);
  } finally {
    resetCompilerFlags();
  }
}

/**
 * Compiles the variants, holds each against the reference on small cases of every operation, times it for about a
 * millisecond and takes the fastest correct one: a version number proves nothing (Node 20 computed a
 * relaxed instruction wrongly), and in a host that compiled WebAssembly earlier the flags may come too late. A vnni
 * that is right is taken at once, for where it is slow it overflows. Errors: `kernel_unavailable`.
 */
export async function compileKernels(options: { readonly kernel: KernelChoice }): Promise<CompiledKernels> {
  const wanted = options.kernel === 'portable' ? (['portable'] as const) : kernelVariants;
  const selfTest = createSelfTest();
  const trials: Trial[] = [];
  for (const variant of wanted) {
    const trial = await tryVariant(variant, selfTest);
    trials.push(trial);
    if (variant === 'vnni' && trial.module !== undefined) break;
  }
  const rejected = trials.flatMap(({ variant, reason }) => (reason === undefined ? [] : [{ variant, reason }]));
  const best = trials.reduce((least, trial) => (cost(trial) < cost(least) ? trial : least));
  if (best.module === undefined) throw unavailable(rejected);
  return { variant: best.variant, module: best.module, rejected };
}

function cost({ variant, micros }: Trial): number {
  return variant === 'portable' ? micros * CLEARLY_FASTER : micros;
}

async function tryVariant(variant: KernelVariant, selfTest: SelfTest): Promise<Trial> {
  const failed = (reason: string): Trial => ({ variant, module: undefined, reason, micros: Infinity });
  const module = await loadVariant(variant).catch((error: unknown) => String(error));
  if (typeof module === 'string') return failed(`does not load: ${module}`);
  const memory = selfTest.createMemory();
  const kernels = instantiateKernels(module, memory);
  const reason = selfTest.check(kernels, memory);
  if (reason !== undefined) return failed(reason);
  return { variant, module, reason, micros: selfTest.time(kernels) };
}

function unavailable(rejected: RejectedVariants): AppError {
  const reasons = rejected.map(({ variant, reason }) => `${variant} ${reason}`).join('; ');
  return new AppError(
    'kernel_unavailable',
    `no variant of the kernels works on Node ${process.versions.node} (${process.arch}): ${reasons}. ` +
      'Build again (npm run build) or use backend reference, which is slow',
    { node: process.versions.node, arch: process.arch, reasons },
  );
}
