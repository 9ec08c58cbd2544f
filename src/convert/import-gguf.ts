import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isWholeArtifact } from '../artifact/index.js';
import {
  findCacheDirectory,
  isFree,
  makeDirectory,
  sleep,
  holdingClock,
  throwFileError,
  tryLock,
  waitForLock,
  type FileLock,
} from '../base/index.js';
import { writeConversion, type ConvertOptions } from './convert-checkpoint.js';
import { packedBytes } from './packing/pack-tensors.js';
import { bytesOf, digestOf, identityOf } from '../store/index.js';
import { listParts } from '../weights/index.js';
import { changedWhileRead } from './errors.js';
import { holdReports } from './held-reports.js';
import { findKnown, placeOf, removeReplaced, sweep, workOf, writtenBytes } from './import-places.js';
import { listNotices, openConversion, type Conversion } from './open-conversion.js';

/** What can be done where the disk has no room. */
const WHEN_FULL =
  "choose another cache directory (--cache-dir, or cacheDir in the library), or keep the model in memory alone (--no-cache, or importGguf: 'memory')";
/** How often a process that waits for another's conversion looks whether it is done. */
const WAIT_MS = 100;

/**
 * A GGUF file, or one part of several, and where artifacts of such files are kept: `cacheDir`, or where `findCacheDirectory` says. `onProgress` is
 * told of the phases `hash` and `convert`, one after the other though both are under way at once; `onNotice` before either of
 * what the user should know of the file; both when it is known that it can be converted.
 */
export interface ImportOptions extends Pick<ConvertOptions, 'signal' | 'onProgress' | 'onNotice'> {
  readonly file: string;
  readonly cacheDir?: string | undefined;
}

/**
 * The artifact of a GGUF file: a directory in the cache directory named by a digest of the file, made when it is not there
 * yet. What the file's header rules out is refused before anything is written, but for the tokenizer of a large vocabulary,
 * which is read while weights are packed: then nothing is left. The file is hashed while it is packed, and what is packed gets
 * its name at the end; if the hash shows that the artifact is there, packing ends. Processes that ask at once convert once: the
 * others wait. What a killed conversion left is removed, and what earlier versions of this package made of the same file, which
 * `onNotice` is told.
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
  // Whatever fails first ends the rest.
  const failed = new AbortController();
  const fail = (error: unknown): void => failed.abort(error);
  const stop = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  const opening = openConversion(file);
  const ready = opening.then(async (conversion) => {
    const tokenizer = await conversion.tokenizer;
    reports.release(listNotices(conversion, tokenizer));
    return tokenizer;
  });
  ready.catch(fail);
  const { onProgress } = reports;
  // The thread of the tokenizer waits for the header.
  const hashing = Promise.all([finding, opening]).then(async ([cache]) =>
    digestOf(parts, cache, { signal: stop, onProgress, after: ready }),
  );
  hashing.then(reports.releaseConversion).catch(fail);
  try {
    await using conversion = await opening;
    const cache = await finding;
    const checkSame = async (): Promise<void> => {
      if ((await identityOf(parts)) !== identity) throw changedWhileRead(file);
    };
    const placing = hashing.then((digest) => placeOf(digest, cache));
    // It may fail before anybody waits for it.
    placing.catch(() => {});
    const job: ImportJob = { identity, cache, placing, checkSame, signal: stop, onProgress };
    const place = await convertOnce({ ...conversion, tokenizer: ready }, job);
    await ready;
    await removeReplaced(place, onNotice);
    return place;
  } finally {
    fail(new Error('the import has ended'));
    await hashing.catch(() => {});
  }
}

/** One import under way. */
interface ImportJob extends Pick<ConvertOptions, 'onProgress'> {
  readonly identity: string;
  readonly cache: string;
  /** Where the artifact belongs, known when the file is hashed. */
  readonly placing: Promise<string>;
  /** Errors: `checkpoint_invalid` where the file has changed. */
  readonly checkSame: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Converts unless the artifact is there, or another process is about the same file. Gives its place. */
async function convertOnce(conversion: Conversion, job: ImportJob): Promise<string> {
  const { identity, cache, signal, onProgress } = job;
  const work = workOf(identity, cache);
  await makeDirectory(dirname(work)).catch(throwFileError('write', dirname(work)));
  const totalBytes = packedBytes(conversion);
  for (;;) {
    const held = await tryLock(`${work}.lock`).catch(throwFileError('write', `${work}.lock`));
    if (held === null) {
      onProgress?.({ phase: 'convert', doneBytes: Math.min(await writtenBytes(work), totalBytes), totalBytes });
      await sleep(WAIT_MS, holdingClock, signal);
      continue;
    }
    await using _ = held;
    // Who was waited for has made it, unless it failed.
    return (await findKnown(identity, cache)) ?? (await convert(conversion, work, job));
  }
}

/** Packs at `work`, whose lock is held, until the hash is there; then what is packed goes to its place, unless it is there. */
async function convert(conversion: Conversion, work: string, job: ImportJob): Promise<string> {
  const { placing, checkSame, signal, onProgress } = job;
  await sweep(work);
  const needless = new AbortController();
  const look = async (place: string): Promise<void> => {
    if (await isWholeArtifact(place)) needless.abort(new Error(`${place} is there`));
  };
  placing.then(look).catch(() => {});
  let placeLock: FileLock | undefined;
  try {
    const choosePlace = async (): Promise<string> => {
      const place = await placing;
      await checkSame();
      // Of two files with the same bytes one is put there.
      placeLock = await waitForLock(`${place}.lock`, { signal });
      await look(place);
      needless.signal.throwIfAborted();
      // What cleans temporary directories takes single files.
      await rm(place, { recursive: true, force: true }).catch(throwFileError('write', place));
      return place;
    };
    const whileNeeded = AbortSignal.any([signal, needless.signal]);
    await writeConversion(conversion, { out: work, signal: whileNeeded, onProgress, choosePlace, whenFull: WHEN_FULL });
    return await placing;
  } catch (error) {
    // What failed, as for want of room, may not be needed.
    const place = await placing.catch(() => undefined);
    signal.throwIfAborted();
    if (place === undefined || !(await isWholeArtifact(place))) throw error;
    await checkSame();
    return place;
  } finally {
    await placeLock?.[Symbol.asyncDispose]();
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
