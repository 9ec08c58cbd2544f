import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { locate } from '../../../../base/index.js';

/**
 * A variant. portable takes plain SIMD128 only; the others, which all give the same bits, relaxed instructions too:
 * narrow in tiles for registers of 128 bits, relaxed in tiles for 256, vnni where one instruction multiplies bytes and
 * adds to 32 bits.
 */
export type KernelVariant = 'portable' | 'narrow' | 'relaxed' | 'vnni';

/** All variants, the one expected to be fastest first. */
export const kernelVariants: readonly KernelVariant[] = ['vnni', 'relaxed', 'narrow', 'portable'];

/** A module of kernels-as: a variant of a model's operations, or the sampler's. */
export type KernelModule = KernelVariant | 'sampling';

/** All modules. */
export const kernelModules: readonly KernelModule[] = [...kernelVariants, 'sampling'];

/** The bytes of every module, from dist/kernels, where kernels-as/build.mjs puts them. */
export type ModuleBytes = ReadonlyMap<KernelModule, Uint8Array>;

/** One module's bytes. Errors: the file system's. */
export async function readModule(name: KernelModule): Promise<Uint8Array> {
  return readFile(locate(`dist/kernels/${name}.wasm`));
}

/** SHA-256 over the names and bytes of `modules`, hex. */
export function hashModules(modules: ModuleBytes): string {
  const hash = createHash('sha256');
  for (const [name, bytes] of modules) hash.update(`${name} ${bytes.length}\n`).update(bytes);
  return hash.digest('hex');
}
