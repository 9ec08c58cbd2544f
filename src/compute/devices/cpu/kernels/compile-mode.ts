import { setFlagsFromString } from 'node:v8';

/**
 * How a kernel module is compiled. revectorized: by the optimising compiler at once, which also joins pairs of 128-bit
 * operations into 256-bit ones; optimised: the same without joining; plain: as the host compiles its own modules.
 */
export type CompileMode = 'revectorized' | 'optimised' | 'plain';

/** All modes, the fastest code first. */
export const compileModes: readonly CompileMode[] = ['revectorized', 'optimised', 'plain'];

/** V8 flags of one mode: those set before a module is compiled, and those that restore the host's compilers. */
export interface ModeFlags {
  readonly set: readonly string[];
  readonly reset: readonly string[];
}

/**
 * The flags of `mode` on a Node version; undefined where the mode does not exist. Every flag is known there, so none
 * warns. Node 20 hides relaxed SIMD behind a flag; the revectorizer works from Node 24 on, on x64 but not on macOS. The
 * optimiser compiles at once and not lazily, since a loop that entered slow code never leaves it. Inlining needs the
 * other compiler's counts: without that compiler Node 26 ends the process on a failed check. All flags except those
 * that allow instructions are restored. Otherwise a host's own modules would compile slowly (Node 24) or end the
 * process (the parser in `fetch`, Node 26).
 */
export function flagsOf(mode: CompileMode, nodeMajor: number, arch: string, platform: string): ModeFlags | undefined {
  const set = nodeMajor === 20 ? ['--experimental-wasm-relaxed-simd'] : [];
  const reset: string[] = [];
  if (mode === 'plain') return { set, reset };
  // The first to go and the last to come back, for other threads of the process may compile meanwhile.
  if (nodeMajor >= 24) set.push('--no-wasm-inlining');
  set.push('--no-liftoff', '--no-wasm-lazy-compilation');
  reset.push('--liftoff', '--wasm-lazy-compilation');
  if (nodeMajor >= 24) reset.push('--wasm-inlining');
  if (mode === 'optimised') return { set, reset };
  if (nodeMajor < 24 || arch !== 'x64' || platform === 'darwin') return undefined;
  set.push('--experimental-wasm-revectorize');
  reset.push('--no-experimental-wasm-revectorize');
  return { set, reset };
}

const here = (mode: CompileMode): ModeFlags | undefined =>
  flagsOf(mode, Number.parseInt(process.versions.node, 10), process.arch, process.platform);

/** The modes that this Node has, the fastest code first. */
export function availableModes(): CompileMode[] {
  return compileModes.filter((mode) => here(mode) !== undefined);
}

/**
 * Compiles `bytes` in `mode`, with V8's flags of the whole process set meanwhile. A custom section names the mode, since V8
 * returns the code that it has for equal bytes, however it was compiled.
 */
export function compileIn(mode: CompileMode, bytes: Uint8Array): WebAssembly.Module {
  const flags = here(mode) ?? { set: [], reset: [] };
  for (const flag of flags.set) setFlagsFromString(flag);
  try {
    // Not WebAssembly.compile: with these flags Node 24 lets an otherwise idle process end before it settles.
    return new WebAssembly.Module(withSection(bytes, mode));
  } finally {
    for (const flag of flags.reset) setFlagsFromString(flag);
  }
}

/** Sets the flags of this Node's fastest mode for all that is compiled from now on: for tests and benches of other modules. */
export function setKernelFlags(): void {
  const [fastest = 'plain'] = availableModes();
  for (const flag of here(fastest)?.set ?? []) setFlagsFromString(flag);
}

/** `bytes` with an empty custom section of that name at the end (WebAssembly core specification, binary format, 5.5.3). */
function withSection(bytes: Uint8Array, name: string): Uint8Array {
  const text = Buffer.from(name, 'ascii');
  return Buffer.concat([bytes, Buffer.from([0, text.length + 1, text.length]), text]);
}
