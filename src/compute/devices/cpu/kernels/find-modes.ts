import { cpus } from 'node:os';
import { toErrorData } from '../../../../base/index.js';
import { availableModes, type CompileMode } from './compile-mode.js';
import { isKnownGood } from './known-good.js';
import { hashModules, type KernelModule, type ModuleBytes } from './modules.js';
import { recall, remember, type FoundModes } from './remembered-modes.js';
import { createTrial, v8Options, whyNoTrial, type Attempt, type RunTrial } from './run-trial.js';

/** The parts that decide how modules are compiled; tests replace them. */
export interface ModeSearch {
  /** Directory for results; a rejection means none. Called only for a trial. */
  readonly cacheDirectory?: (() => Promise<string>) | undefined;
  readonly modes?: readonly CompileMode[];
  readonly isKnown?: boolean;
  readonly whyNoTrial?: () => Promise<string | undefined>;
  readonly runTrial?: RunTrial;
}

/**
 * The fastest mode in which each module compiles without ending the process, and computes correctly. A flag of V8 can
 * end a process without an exception, so an unknown mode is first tried in another process, once. The result is stored
 * by Node version, CPU, V8 options and kernels. Where no trial is possible, modules are compiled without flags.
 */
export async function findModes(modules: ModuleBytes, search: ModeSearch = {}): Promise<FoundModes> {
  const modes = search.modes ?? availableModes();
  const names = [...modules.keys()];
  if (search.isKnown ?? isKnownGood(process.versions.v8, process.arch, process.platform, v8Options())) {
    return { modes: Object.fromEntries(names.map((name) => [name, modes[0] ?? 'plain'])), unusable: {}, notes: [] };
  }
  const directory = await search.cacheDirectory?.().catch(() => undefined);
  const key = JSON.stringify([
    process.versions.node,
    process.versions.v8,
    process.arch,
    process.platform,
    cpus()[0]?.model ?? '',
    v8Options(),
    hashModules(modules),
  ]);
  const known = directory === undefined ? undefined : await recall(directory, key, names);
  if (known !== undefined) return known;
  const reason = await (search.whyNoTrial ?? whyNoTrial)();
  if (reason !== undefined) return plainly(names, reason);
  let found: FoundModes;
  try {
    found = await tryAll(names, modes, search.runTrial ?? createTrial());
  } catch (error) {
    return plainly(names, toErrorData(error).message);
  }
  if (directory !== undefined) await remember(directory, key, found);
  return found;
}

/** Why a module does not serve in a mode. */
interface Failure {
  readonly mode: CompileMode;
  readonly why: string;
  readonly endsProcess: boolean;
}

/** Each module in one mode after another until one is right. */
async function tryAll(
  names: readonly KernelModule[],
  modes: readonly CompileMode[],
  run: RunTrial,
): Promise<FoundModes> {
  const found = new Map<KernelModule, CompileMode>();
  const failures = new Map<KernelModule, Failure[]>(names.map((name) => [name, []]));
  for (const mode of modes) {
    let left = names.filter((name) => !found.has(name));
    while (left.length > 0) {
      const { results, ended, isLate = false } = await run(left.map((name): Attempt => [name, mode]));
      for (const [i, name] of left.slice(0, results.length).entries()) {
        const why = results[i];
        if (why === undefined) found.set(name, mode);
        else failures.get(name)?.push({ mode, why, endsProcess: false });
      }
      const [guilty] = left.splice(0, results.length + 1).slice(results.length);
      if (guilty !== undefined) failures.get(guilty)?.push({ mode, why: ended ?? 'no result', endsProcess: true });
      if (!isLate) continue;
      // A start waits for one such time limit in each mode, and not for one of each module.
      for (const name of left)
        failures.get(name)?.push({ mode, why: 'was not tried, as another did not come back', endsProcess: false });
      break;
    }
  }
  const notes = names.flatMap((name) => notesOf(name, failures.get(name) ?? [], found.get(name)));
  const unusable = names
    .filter((name) => !found.has(name))
    .map((name) => [name, tellAll(failures.get(name) ?? [])] as const);
  return { modes: Object.fromEntries(found), unusable: Object.fromEntries(unusable), notes };
}

/** A variant that is wrong in every mode is one that this CPU does not have: nothing to tell. */
function notesOf(name: KernelModule, failures: readonly Failure[], mode: CompileMode | undefined): string[] {
  if (failures.length === 0 || (mode === undefined && !failures.some(({ endsProcess }) => endsProcess))) return [];
  const instead = mode === undefined ? 'it is not used' : `it is compiled ${mode}, and may be slower`;
  return [`kernels "${name}" on Node ${process.versions.node}: ${failures.map(tell).join(', ')}; ${instead}`];
}

/** A mistake that every mode has is reported once. It is so on a CPU that lacks what the variant needs. */
function tellAll(failures: readonly Failure[]): string {
  const [first] = failures;
  const isOne = failures.every(({ why, endsProcess }) => !endsProcess && why === first?.why);
  return isOne && first !== undefined ? first.why : failures.map(tell).join(', ');
}

function tell({ mode, why, endsProcess }: Failure): string {
  return endsProcess ? `compiled ${mode} it ends the process (${why})` : `compiled ${mode} it ${why}`;
}

function plainly(names: readonly KernelModule[], reason: string): FoundModes {
  const note = `kernels are compiled without V8's flags, and slower: they could not be tried in a process of their own (${reason})`;
  return { modes: Object.fromEntries(names.map((name) => [name, 'plain' as const])), unusable: {}, notes: [note] };
}
