import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FORMAT_VERSION, isWholeArtifact, PACKING_VERSION } from '../artifact/index.js';
import {
  findCacheDirectory,
  isFree,
  makeDirectory,
  sleep,
  holdingClock,
  throwFileError,
  toErrorData,
  tryLock,
} from '../base/index.js';
import { writeConversion, type ConvertOptions } from './convert-checkpoint.js';
import { packedBytes } from './packing/pack-tensors.js';
import { bytesOf, digestOf, identityOf, knownDigest } from '../store/index.js';
import { listParts } from '../weights/index.js';
import { changedWhileRead } from './errors.js';
import { holdReports, type HeldReports } from './held-reports.js';
import { listNotices, openConversion, type Conversion } from './open-conversion.js';

/** Raised when the converter makes something else of the same file: then what was made before is not taken for it. */
const IMPORT_VERSION = 5;
/** Where artifacts of files are kept, in the cache directory. */
const FOLDER = 'models';
/** What can be done where the disk has no room. */
const WHEN_FULL =
  "choose another cache directory (--cache-dir, or cacheDir in the library), or keep the model in memory alone (--no-cache, or importGguf: 'memory')";
/** How often a process that waits for another's conversion looks whether it is done. */
const WAIT_MS = 100;
const PARTIAL = /^(gguf-[0-9a-f]{64}-[\d.]+)\.partial-[0-9a-f]{12}$/;
/** An artifact of a file, by any version of this package. */
const IMPORTED = /^(gguf-[0-9a-f]{64}-)[\d.]+$/;

/**
 * A GGUF file, or one part of several, and where artifacts of such files are kept: `cacheDir`, or where `findCacheDirectory` says. `onProgress` is
 * told of the phases `hash` and `convert`, `onNotice` before either of what the user should know of
 * the file; both when it is known that it can be converted.
 */
export interface ImportOptions extends Pick<ConvertOptions, 'signal' | 'onProgress' | 'onNotice'> {
  readonly file: string;
  readonly cacheDir?: string | undefined;
}

/**
 * The artifact of a GGUF file: a directory in the cache directory named by the file's SHA-256, made when it is not there
 * yet. What the file's header rules out is refused before it is hashed. Processes that ask at once convert once: the
 * others wait. What a killed conversion left is removed, and what earlier versions of this package made of the same file,
 * which `onNotice` is told.
 * Errors: those of `convertCheckpoint`; `cache_unwritable`; the reason of the signal.
 */
export async function importGguf(options: ImportOptions): Promise<string> {
  const { file, signal, onNotice } = options;
  const finding = findCacheDirectory(options.cacheDir);
  // Whether there is one matters when something shall be put there.
  finding.catch(() => {});
  const parts = await listParts(file);
  const identity = await identityOf(parts);
  const known = await finding.then(
    (cache) => findKnown(identity, cache),
    () => undefined,
  );
  if (known !== undefined) return known;
  signal?.throwIfAborted();
  const reports = holdReports(options.onProgress, onNotice);
  const { opened, ready, digest } = await openAndHash(parts, finding, file, reports, signal);
  await using conversion = opened;
  const cache = await finding;
  const place = placeOf(digest, cache);
  const checkSame = async (): Promise<void> => {
    if ((await identityOf(parts)) === identity) return;
    throw changedWhileRead(file);
  };
  await checkSame();
  const { onProgress } = reports;
  const asked = { out: place, signal, onProgress, beforeFinish: checkSame, whenFull: WHEN_FULL };
  await convertOnce({ ...conversion, tokenizer: ready }, place, asked);
  await ready;
  await removeReplaced(place, onNotice);
  return place;
}

/** A file that is open and hashed. */
interface OpenedFile {
  readonly opened: Conversion;
  /** The tokenizer, when it is made and the notices are told. */
  readonly ready: Conversion['tokenizer'];
  readonly digest: string;
}

/** Opens the file while it is hashed. Its tokenizer may still be made when both are done. */
async function openAndHash(
  parts: readonly string[],
  finding: Promise<string>,
  file: string,
  { onProgress, release }: HeldReports,
  signal: AbortSignal | undefined,
): Promise<OpenedFile> {
  const refused = new AbortController();
  const stop = signal === undefined ? refused.signal : AbortSignal.any([signal, refused.signal]);
  const opening = openConversion(file);
  const ready = opening.then(async (conversion) => {
    const tokenizer = await conversion.tokenizer;
    release(listNotices(conversion, tokenizer));
    return tokenizer;
  });
  ready.catch((error: unknown) => refused.abort(error));
  const hashing = finding.then(async (cache) => digestOf(parts, cache, { signal: stop, onProgress, after: opening }));
  hashing.catch(() => {});
  const opened = await opening;
  try {
    return { opened, ready, digest: await hashing };
  } catch (error) {
    refused.abort(error);
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * What removes the artifact that was made of a GGUF file, to be called when the file is gone, and tells how many bytes it had;
 * undefined where none is known. The file is not read for it.
 */
export async function forgetImport(file: string, cacheDir?: string): Promise<(() => Promise<number>) | undefined> {
  const cache = await findCacheDirectory(cacheDir).catch(() => undefined);
  const identity = await identityOf(await listParts(file)).catch(() => undefined);
  if (cache === undefined || identity === undefined) return undefined;
  const place = await findKnown(identity, cache);
  if (place === undefined) return undefined;
  return async () => {
    if (!(await isFree(`${place}.lock`))) return 0;
    const bytes = await bytesOf(place);
    await rm(place, { recursive: true, force: true }).catch(() => {});
    return bytes;
  };
}

/** Where the artifact of a GGUF file is, or would be. Errors: `cache_unwritable`, those of reading files; the reason of the signal. */
export async function artifactPlace(options: ImportOptions): Promise<string> {
  const cache = await findCacheDirectory(options.cacheDir);
  return placeOf(await digestOf(await listParts(options.file), cache, options), cache);
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
  const totalBytes = packedBytes(conversion);
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
async function removeReplaced(place: string, onNotice: ImportOptions['onNotice']): Promise<void> {
  const folder = dirname(place);
  const [, prefix] = IMPORTED.exec(basename(place)) ?? [];
  for (const entry of await readdir(folder).catch(() => [])) {
    if (entry === basename(place) || IMPORTED.exec(entry)?.[1] !== prefix) continue;
    const old = join(folder, entry);
    if (!(await isFree(`${old}.lock`))) continue;
    await rm(old, { recursive: true, force: true }).then(
      () =>
        onNotice?.({ kind: 'replaced', text: `removed ${old}, which an earlier version had made of the same file` }),
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
