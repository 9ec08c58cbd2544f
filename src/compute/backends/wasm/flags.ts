import { setFlagsFromString } from 'node:v8';

/**
 * The V8 flags that the kernels want, by Node's major version. None of them is unknown there, so none warns.
 * Node 20 hides relaxed SIMD behind a flag; the revectorizer, which joins pairs of 128-bit operations into 256-bit
 * ones, works from Node 24 on, on x64 but not on macOS (performance.md 1.6 and 1.7). Everywhere: compile with the
 * optimiser at once and not lazily, since a loop that entered slow code never leaves it (1.8). Inlining wants what the
 * other compiler counts: without that one Node 26 ends the process on a failed check.
 */
export function kernelFlags(nodeMajor: number, arch: string, platform: string): readonly string[] {
  const flags = ['--no-liftoff', '--no-wasm-lazy-compilation'];
  if (nodeMajor === 20) flags.push('--experimental-wasm-relaxed-simd');
  if (nodeMajor >= 24) flags.push('--no-wasm-inlining');
  if (nodeMajor >= 24 && arch === 'x64' && platform !== 'darwin') flags.push('--experimental-wasm-revectorize');
  return flags;
}

/** Sets V8's flags for the whole process, its threads included: for what is compiled from now on. */
export function setKernelFlags(): void {
  const major = Number.parseInt(process.versions.node, 10);
  for (const flag of kernelFlags(major, process.arch, process.platform)) setFlagsFromString(flag);
}

/**
 * Gives the compilers of WebAssembly back to the host once the kernels are compiled, which keep their code. With them switched off,
 * a host's own modules take long to compile on Node 24, and on Node 26 the parser in `fetch` ends the process on a failed
 * check. What only allows instructions, or joins them, stays.
 */
export function resetCompilerFlags(): void {
  const nodeMajor = Number.parseInt(process.versions.node, 10);
  for (const flag of ['--liftoff', '--wasm-lazy-compilation']) setFlagsFromString(flag);
  if (nodeMajor >= 24) setFlagsFromString('--wasm-inlining');
}
