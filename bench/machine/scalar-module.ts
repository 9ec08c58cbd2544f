import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What bench/machine/as exports; pointers are byte offsets in the memory given. */
export interface ScalarExports {
  readMemory(from: number, bytes: number, out: number): void;
  matmul(
    out: number,
    x: number,
    xScales: number,
    w: number,
    wScales: number,
    rows: number,
    outputs: number,
    columns: number,
  ): void;
}

/**
 * Compiles bench/machine/as, from the repository's root, with the product's own options. In a process of its own: the
 * compiler is WebAssembly too, and the kernels' flags would have all of it optimised first, for a quarter of a minute.
 */
export async function compileScalarModule(): Promise<WebAssembly.Module> {
  const scratch = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
  const outFile = join(scratch, 'scalar.wasm');
  const options = ['-O3', '--runtime', 'stub', '--noAssert', '--uncheckedBehavior', 'always', '--enable', 'simd'];
  const memory = ['--importMemory', '--noExportMemory', '--initialMemory', '1'];
  const args = ['bench/machine/as/index.ts', ...options, ...memory, '--outFile', outFile];
  try {
    await promisify(execFile)(process.execPath, ['node_modules/assemblyscript/bin/asc.js', ...args]);
    return new WebAssembly.Module(new Uint8Array(await readFile(outFile)));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Its functions over `memory`. */
export function instantiateScalar(module: WebAssembly.Module, memory: WebAssembly.Memory): ScalarExports {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as ScalarExports;
}
