import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FORMAT_VERSION, isWholeArtifact, PACKING_VERSION } from '../artifact/index.js';
import {
  AppError,
  findCacheDirectory,
  isFree,
  makeDirectory,
  sleep,
  holdingClock,
  throwFileError,
  toErrorData,
  tryLock,
} from '../base/index.js';
import { packedBytes, writeConversion, type ConvertOptions } from './convert-checkpoint.js';
import { digestOf, identityOf, knownDigest } from '../store/index.js';
import { openConversion, type Conversion } from './open-conversion.js';

/** Raised when the converter makes something else of the same file: then what was made before is not taken for it. */
const IMPORT_VERSION = 1;
/** Where artifacts of files are kept, in the cache directory. */
const FOLDER = 'models';
/** How often a process that waits for another's conversion looks whether it is done. */
const WAIT_MS = 100;
const PARTIAL = /^(gguf-[0-9a-f]{64}-[\d.]+)\.partial-[0-9a-f]{12}$/;
/** An artifact of a file, by any version of this package. */
const IMPORTED = /^(gguf-[0-9a-f]{64}-)[\d.]+$/;

/**
 * A GGUF file, and where artifacts of such files are kept: `cacheDir`, or where `findCacheDirectory` says. `onProgress` is
 * told of the phases `hash` and `convert`, `onWarning` of what the file cannot do before either.
 */
export interface ImportOptions extends Pick<ConvertOptions, 'signal' | 'onProgress' | 'onWarning'> {
  readonly file: string;
  readonly cacheDir?: string | undefined;
}

/**
 * The artifact of a GGUF file: a directory in the cache directory named by the file's SHA-256, made when it is not there
 * yet. What the file's header rules out is refused before it is hashed. Processes that ask at once convert once: the
 * others wait. What a killed conversion left is removed, and what earlier versions of this package made of the same file,
 * which `onWarning` is told.
 * Errors: those of `convertCheckpoint`; `cache_unwritable`; the reason of the signal.
 */
export async function importGguf(options: ImportOptions): Promise<string> {
  const { file, signal, onWarning } = options;
  const finding = findCacheDirectory(options.cacheDir);
  // Whether there is one matters when something shall be put there.
  finding.catch(() => {});
  const identity = await identityOf(file);
  const known = await finding.then(
    (cache) => findKnown(identity, cache),
    () => undefined,
  );
  if (known !== undefined) return known;
  signal?.throwIfAborted();
  await using conversion = await openConversion(file);
  for (const warning of conversion.warnings) onWarning?.(warning);
  const cache = await finding;
  const place = placeOf(await digestOf(file, cache, options), cache);
  const checkSame = async (): Promise<void> => {
    if ((await identityOf(file)) === identity) return;
    const message = `${file} changed while it was read; load it again when nobody writes it any more`;
    throw new AppError('checkpoint_invalid', message, { path: file });
  };
  await checkSame();
  await convertOnce(conversion, place, { ...options, out: place, beforeFinish: checkSame });
  await removeReplaced(place, onWarning);
  return place;
}

/** Where the artifact of a GGUF file is, or would be. Errors: `cache_unwritable`, those of reading files; the reason of the signal. */
export async function artifactPlace(options: ImportOptions): Promise<string> {
  const cache = await findCacheDirectory(options.cacheDir);
  return placeOf(await digestOf(options.file, cache, options), cache);
}

function placeOf(digest: string, cache: string): string {
  return join(cache, FOLDER, `gguf-${digest}-${FORMAT_VERSION}.${PACKING_VERSION}.${IMPORT_VERSION}`);
}

/** The artifact of a file that was imported before. */
async function findKnown(identity: string, cache: string): Promise<string | undefined> {
  const digest = await knownDigest(identity, cache);
  const place = digest === undefined ? undefined : placeOf(digest, cache);
  return place !== undefined && (await isWholeArtifact(place)) ? place : undefined;
}

/** Converts unless the artifact is there, or another process is about it. */
async function convertOnce(
  conversion: Conversion,
  place: string,
  options: Parameters<typeof writeConversion>[1],
): Promise<void> {
  const { signal, onProgress } = options;
  const folder = dirname(place);
  await makeDirectory(folder).catch(throwFileError('write', folder));
  const totalBytes = packedBytes(conversion.specs, (spec) => conversion.storedAs(spec));
  // The writer puts a directory in its place whole or not at all, so one that is there can be used.
  while (!(await isWholeArtifact(place))) {
    const held = await tryLock(`${place}.lock`).catch(throwFileError('write', `${place}.lock`));
    if (held === null) {
      onProgress?.({ phase: 'convert', doneBytes: Math.min(await writtenBytes(place), totalBytes), totalBytes });
      await sleep(WAIT_MS, holdingClock, signal);
      continue;
    }
    await using _ = held;
    await sweep(folder, basename(place));
    if (await isWholeArtifact(place)) return;
    // What cleans temporary directories takes single files.
    await rm(place, { recursive: true, force: true }).catch(throwFileError('write', place));
    await writeConversion(conversion, options).catch((error: unknown) => {
      if (toErrorData(error).code !== 'output_exists') throw error;
    });
  }
}

/** Removes what earlier versions made of the same file, which nobody reads any more; one that is being made stays. */
async function removeReplaced(place: string, onWarning: ImportOptions['onWarning']): Promise<void> {
  const folder = dirname(place);
  const [, prefix] = IMPORTED.exec(basename(place)) ?? [];
  for (const entry of await readdir(folder).catch(() => [])) {
    if (entry === basename(place) || IMPORTED.exec(entry)?.[1] !== prefix) continue;
    const old = join(folder, entry);
    if (!(await isFree(`${old}.lock`))) continue;
    await rm(old, { recursive: true, force: true }).then(
      () => onWarning?.(`removed ${old}, which an earlier version had made of the same file`),
      () => {},
    );
  }
}

/** How much of weights.bin another process has written. */
async function writtenBytes(place: string): Promise<number> {
  const names = await readdir(dirname(place)).catch(() => []);
  const partial = names.find((name) => PARTIAL.exec(name)?.[1] === basename(place));
  const found = partial && (await stat(join(dirname(place), partial, 'weights.bin')).catch(() => undefined));
  return found ? found.size : 0;
}

/** Removes what conversions left that are no longer under way; `own` is the one whose lock is ours. */
async function sweep(folder: string, own: string): Promise<void> {
  for (const entry of await readdir(folder).catch(throwFileError('read', folder))) {
    const [, base] = PARTIAL.exec(entry) ?? [];
    if (base === undefined || (base !== own && !(await isFree(join(folder, `${base}.lock`))))) continue;
    await rm(join(folder, entry), { recursive: true, force: true }).catch(() => {});
  }
}
