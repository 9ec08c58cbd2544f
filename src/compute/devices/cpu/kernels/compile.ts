import { AppError, isAppError, present } from '../../../../base/index.js';
import type { RejectedVariants } from '../kernel-set.js';
import { availableModes, compileIn, type CompileMode } from './compile-mode.js';
import { findModes, type ModeSearch } from './find-modes.js';
import { instantiateKernels } from './instantiate.js';
import {
  kernelModules,
  kernelVariants,
  readModule,
  type KernelModule,
  type KernelVariant,
  type ModuleBytes,
} from './modules.js';
import { createRace } from './race.js';
import { readSelfTest, type SelfTest } from './self-test.js';
import { tryVariant, type VariantTrial } from './try-variant.js';

/** The chosen variant, ready for `instantiateKernels` on any thread. */
export interface CompiledKernels {
  readonly variant: KernelVariant;
  readonly module: WebAssembly.Module;
  /** The sampler's kernels, for `instantiateRowKernels`. */
  readonly rowModule: WebAssembly.Module;
  readonly rejected: RejectedVariants;
  /** Causes of slower operation on this machine; a sentence each. */
  readonly notes: readonly string[];
}

/** How much faster portable must be to displace another variant: its bits are others, and equal runs should choose alike. */
const CLEARLY_FASTER = 1.5;

type Correct = Extract<VariantTrial, { module: WebAssembly.Module }>;

/** One variant compiled in the fastest mode, or in another: for tests and benches, since it may end the process. */
export async function loadVariant(variant: KernelVariant, mode?: CompileMode): Promise<WebAssembly.Module> {
  return compileIn(mode ?? present(availableModes()[0], 'plain is always there'), await readModule(variant));
}

/**
 * Compiles the variants, each in the fastest mode that does not end the process (`findModes`). Compares each with the
 * reference on small cases of every operation, and takes the fastest correct one. A version number proves nothing: Node
 * 20 computed a relaxed instruction wrongly. In a host that compiled WebAssembly earlier the flags may come too late. A
 * correct vnni is taken at once, since the tests overflow where it is slow. Errors: `kernel_unavailable`,
 * `package_not_found`.
 */
export async function compileKernels(options: { readonly isPortable: boolean } & ModeSearch): Promise<CompiledKernels> {
  const wanted = options.isPortable ? (['portable'] as const) : kernelVariants;
  const [bytes, selfTest] = await readAll();
  const bytesOf = (name: KernelModule): Uint8Array => present(bytes.get(name), 'every module was read');
  const { modes, unusable, notes } = await findModes(bytes, options);
  const correct: Correct[] = [];
  const rejected: { variant: KernelVariant; reason: string }[] = [];
  for (const variant of wanted) {
    const mode = modes[variant];
    const trial: VariantTrial = mode
      ? tryVariant(variant, mode, bytesOf(variant), selfTest)
      : { variant, reason: unusable[variant] ?? 'was not tried' };
    if ('reason' in trial) rejected.push(trial);
    else correct.push(trial);
    if (variant === 'vnni' && 'module' in trial) break;
  }
  const best = fastest(correct);
  if (best === undefined) throw unavailable(rejected);
  const rowModule = compileIn(modes.sampling ?? 'plain', bytesOf('sampling'));
  return { ...best, rowModule, rejected, notes };
}

/** Every module, and the test of it. Errors: `kernel_unavailable` where the build has no kernels, `package_not_found`. */
async function readAll(): Promise<readonly [ModuleBytes, SelfTest]> {
  try {
    const modules = Promise.all(kernelModules.map(async (name) => [name, await readModule(name)] as const));
    const [entries, selfTest] = await Promise.all([modules, readSelfTest()]);
    return [new Map(entries), selfTest];
  } catch (error) {
    if (isAppError(error)) throw error;
    throw unavailable([{ variant: 'any', reason: `does not load: ${String(error)}` }]);
  }
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
      'In a clone, build again (npm run build). ' +
      'The backend reference is right without kernels, and slow',
    { node: process.versions.node, arch: process.arch, reasons },
  );
}
