import { readFile } from 'node:fs/promises';
import { AppError } from '../../../base/index.js';
import type { KernelChoice, RejectedVariants } from '../backend.js';
import { resetCompilerFlags, setKernelFlags } from './flags.js';
import { instantiateKernels } from './instantiate.js';
import { createRace } from './race.js';
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

/** How much faster portable must be to displace another variant: its bits are others, and equal runs should choose alike. */
const CLEARLY_FASTER = 1.5;

/** A variant that was tried: with its module, or why it does not serve. */
type Trial =
  | { readonly variant: KernelVariant; readonly module: WebAssembly.Module }
  | { readonly variant: KernelVariant; readonly reason: string };
type Correct = Extract<Trial, { module: WebAssembly.Module }>;

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
 * Compiles the variants, holds each against the reference on small cases of every operation, and takes the fastest
 * correct one: a version number proves nothing (Node 20 computed a relaxed instruction wrongly), and in a host that compiled
 * WebAssembly earlier the flags may come too late. A vnni that is right is taken at once, for where it is slow it
 * overflows. Errors: `kernel_unavailable`.
 */
export async function compileKernels(options: { readonly kernel: KernelChoice }): Promise<CompiledKernels> {
  const wanted = options.kernel === 'portable' ? (['portable'] as const) : kernelVariants;
  const selfTest = createSelfTest();
  const correct: Correct[] = [];
  const rejected: { variant: KernelVariant; reason: string }[] = [];
  for (const variant of wanted) {
    const trial = await tryVariant(variant, selfTest);
    if ('reason' in trial) rejected.push(trial);
    else correct.push(trial);
    if (variant === 'vnni' && 'module' in trial) break;
  }
  const best = fastest(correct);
  if (best === undefined) throw unavailable(rejected);
  return { ...best, rejected };
}

async function tryVariant(variant: KernelVariant, selfTest: SelfTest): Promise<Trial> {
  const module = await loadVariant(variant).catch((error: unknown) => String(error));
  if (typeof module === 'string') return { variant, reason: `does not load: ${module}` };
  const memory = selfTest.createMemory();
  const reason = selfTest.check(instantiateKernels(module, memory), memory);
  return reason === undefined ? { variant, module } : { variant, reason };
}

function fastest(trials: readonly Correct[]): Correct | undefined {
  if (trials.length <= 1) return trials[0];
  const race = createRace();
  const costs = race.run(trials.map(({ module }) => instantiateKernels(module, race.createMemory())));
  const costOf = (at: number): number =>
    (costs[at] as number) * (trials[at]?.variant === 'portable' ? CLEARLY_FASTER : 1);
  const best = trials.reduce((least, _, at) => (costOf(at) < costOf(least) ? at : least), 0);
  return trials[best];
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
