import { readFile } from 'node:fs/promises';
import { AppError } from '../../../base/index.js';
import type { KernelChoice, RejectedVariants } from '../backend.js';
import { setKernelFlags } from './flags.js';
import { instantiateKernels } from './instantiate.js';
import { createSelfTest } from './self-test.js';

/** A variant: portable takes plain SIMD128 only, relaxed the relaxed instructions too. */
export type KernelVariant = 'portable' | 'relaxed';

/** All variants, the one expected to be fastest first. */
export const kernelVariants: readonly KernelVariant[] = ['relaxed', 'portable'];

/** The chosen variant, ready for `instantiateKernels` on any thread. */
export interface CompiledKernels {
  readonly variant: KernelVariant;
  readonly module: WebAssembly.Module;
  readonly rejected: RejectedVariants;
}

/**
 * How much faster another variant must be to displace one before it in `kernelVariants`: more than the noise of a
 * millisecond's measurement, so that equal runs choose alike.
 */
const CLEARLY_FASTER = 1.5;

interface Trial {
  readonly variant: KernelVariant;
  readonly module: WebAssembly.Module | undefined;
  readonly reason: string | undefined;
  readonly micros: number;
}

/** Compiles one variant from dist/kernels, where kernels-as/build.mjs puts it. */
export async function loadVariant(variant: KernelVariant): Promise<WebAssembly.Module> {
  const bytes = await readFile(new URL(`../../../../kernels/${variant}.wasm`, import.meta.url));
  // Not WebAssembly.compile: with these flags Node 24 lets an otherwise idle process end before it settles.
  return new WebAssembly.Module(bytes);
}

/**
 * Sets V8's flags, compiles the variants, holds each against the reference on small cases of every operation, times
 * it for about a millisecond and takes the fastest correct one: a version number proves nothing (Node 20 computed a
 * relaxed instruction wrongly), and in a host that compiled WebAssembly earlier the flags may come too late.
 * Errors: `kernel_unavailable`.
 */
export async function compileKernels(options: { readonly kernel: KernelChoice }): Promise<CompiledKernels> {
  setKernelFlags();
  const wanted = options.kernel === 'portable' ? (['portable'] as const) : kernelVariants;
  const loaded = await Promise.allSettled(wanted.map(async (variant) => loadVariant(variant)));
  const selfTest = createSelfTest();
  const trials = wanted.map((variant, index) => tryVariant(variant, loaded[index], selfTest));
  const rejected = trials.flatMap(({ variant, reason }) => (reason === undefined ? [] : [{ variant, reason }]));
  let best: Trial | undefined;
  for (const trial of trials) {
    if (trial.module === undefined) continue;
    if (best === undefined || trial.micros * CLEARLY_FASTER < best.micros) best = trial;
  }
  if (best?.module === undefined) throw unavailable(rejected);
  return { variant: best.variant, module: best.module, rejected };
}

function tryVariant(
  variant: KernelVariant,
  loaded: PromiseSettledResult<WebAssembly.Module> | undefined,
  selfTest: ReturnType<typeof createSelfTest>,
): Trial {
  const failed = (reason: string): Trial => ({ variant, module: undefined, reason, micros: Infinity });
  if (loaded?.status !== 'fulfilled') return failed(`does not load: ${String(loaded?.reason)}`);
  const memory = selfTest.createMemory();
  const kernels = instantiateKernels(loaded.value, memory);
  const reason = selfTest.check(kernels, memory);
  if (reason !== undefined) return failed(reason);
  return { variant, module: loaded.value, reason, micros: selfTest.time(kernels) };
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
