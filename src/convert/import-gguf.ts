import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FORMAT_VERSION, PACKING_VERSION } from '../artifact/index.js';
import { makeDirectory, toErrorData } from '../base/index.js';
import { convertCheckpoint } from './convert-checkpoint.js';
import { digestOf } from './file-digest.js';
import { isFree, tryLock } from './import-lock.js';

/** Raised when the converter makes something else of the same file: then what was made before is not taken for it. */
const IMPORT_VERSION = 1;
/** How often a process that waits for another's conversion looks whether it is done. */
const WAIT_MS = 100;
const PARTIAL = /^(gguf-[0-9a-f]{64}-[\d.]+)\.partial-[0-9a-f]{12}$/;

/** A GGUF file, and where artifacts of such files are kept. */
export interface ImportOptions {
  readonly file: string;
  readonly modelsDir: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The artifact of a GGUF file: a directory in `modelsDir` named by the file's SHA-256, made when it is not there yet.
 * Processes that ask at once convert once: the others wait. What a killed conversion left is removed.
 * Errors: those of `convertCheckpoint`; the reason of the signal.
 */
export async function importGguf(options: ImportOptions): Promise<string> {
  const { file, modelsDir, signal } = options;
  const place = await artifactPlace(options);
  // The writer puts a directory in its place whole or not at all, so one that is there can be used.
  while (!(await exists(place))) {
    await makeDirectory(modelsDir);
    const held = await tryLock(`${place}.lock`);
    if (held === null) {
      await sleep(WAIT_MS, undefined, signal && { signal });
      continue;
    }
    await using _ = held;
    await sweep(modelsDir, basename(place));
    if (!(await exists(place))) await convertOnce(file, place, signal);
  }
  return place;
}

/** Where the artifact of a GGUF file is, or would be. Errors: the reason of the signal. */
export async function artifactPlace({ file, modelsDir, signal }: ImportOptions): Promise<string> {
  const digest = await digestOf(file, modelsDir, signal);
  return join(modelsDir, `gguf-${digest}-${FORMAT_VERSION}.${PACKING_VERSION}.${IMPORT_VERSION}`);
}

async function convertOnce(file: string, place: string, signal: AbortSignal | undefined): Promise<void> {
  try {
    await convertCheckpoint({ source: file, out: place, signal });
  } catch (error) {
    if (toErrorData(error).code !== 'output_exists') throw error;
  }
}

/** Removes what conversions left that are no longer under way; `own` is the one whose lock is ours. */
async function sweep(modelsDir: string, own: string): Promise<void> {
  for (const entry of await readdir(modelsDir)) {
    const [, base] = PARTIAL.exec(entry) ?? [];
    if (base === undefined || (base !== own && !(await isFree(join(modelsDir, `${base}.lock`))))) continue;
    await rm(join(modelsDir, entry), { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
