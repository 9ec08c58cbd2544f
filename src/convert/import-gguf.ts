import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isWholeArtifact, type LoadProgress, type OnProgress } from '../artifact/index.js';
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
import { findKnown, importPathOf, sweepConversions, workOf, writtenBytes } from './import-places.js';
import { listNotices, openConversion, type Conversion } from './open-conversion.js';
import type { Notice, OnNotice } from './notice.js';

/** Advice for a full disk. */
const WHEN_FULL =
  "choose another cache directory (--cache-dir, or cacheDir in the library), or keep the model in memory alone (--no-cache, or importGguf: 'memory')";
/** Interval at which a waiting process checks another's conversion. */
const WAIT_MS = 100;

/**
 * A GGUF file, or one part of several, and the directory of artifacts: `cacheDir`, or that of `findCacheDirectory`.
 * `onProgress` gets the phases `hash` and `convert` one after the other, although they run concurrently. `onNotice`
 * comes before them. Both wait until it is known that the file can be converted.
 */
export interface ImportOptions extends Pick<ConvertOptions, 'signal' | 'onProgress' | 'onNotice'> {
  readonly file: string;
  readonly cacheDir?: string | undefined;
}

/**
 * The artifact of a GGUF file: a directory in the cache directory named by a digest of the file, created when missing.
 * Refusals by the file's header come before anything is written. The exception is the tokenizer of a large vocabulary,
 * which is read while weights are packed; a refusal then leaves nothing. The file is hashed while it is packed, and the
 * result gets its name at the end. Packing ends if the hash shows that the artifact exists. Of concurrent processes one
 * converts and the others wait. Remains of a killed conversion are removed.
 * Errors: those of `convertCheckpoint`; `cache_unwritable`; the reason of the signal.
 */
export async function importGguf(options: ImportOptions): Promise<string> {
  const { file, signal } = options;
  const finding = findCacheDirectory(options.cacheDir);
  // A failure to find the cache directory matters only at the first write.
  finding.catch(() => {});
  const parts = await listParts(file);
  const identity = await identityOf(parts);
  const known = await finding.then(
    (cache) => findKnown(identity, cache),
    () => undefined,
  );
  if (known !== undefined) return known;
  signal?.throwIfAborted();
  const reports = holdReports(options.onProgress, options.onNotice);
  // The first failure ends the rest.
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
    const placing = hashing.then((digest) => importPathOf(digest, cache));
    // The promise may reject before a caller awaits it.
    placing.catch(() => {});
    const job: ImportJob = { identity, cache, placing, checkSame, signal: stop, onProgress };
    const place = await convertOnce({ ...conversion, tokenizer: ready }, job);
    await ready;
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
  /** Final path of the artifact, known after hashing. */
  readonly placing: Promise<string>;
  /** Checks that the file is unchanged. Errors: `checkpoint_invalid` when it changed. */
  readonly checkSame: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Converts unless the artifact exists or another process converts the same file. Returns its path. */
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
    // The other process has made it, unless it failed.
    return (await findKnown(identity, cache)) ?? (await convert(conversion, work, job));
  }
}

/**
 * Packs at `work` under its lock until the hash is known; then moves the result to its final path, unless the artifact
 * exists.
 */
async function convert(conversion: Conversion, work: string, job: ImportJob): Promise<string> {
  const { placing, checkSame, signal, onProgress } = job;
  await sweepConversions(work);
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
      // Two files with the same bytes share one artifact.
      placeLock = await waitForLock(`${place}.lock`, { signal });
      await look(place);
      needless.signal.throwIfAborted();
      // Cleaners of temporary directories may have removed single files.
      await rm(place, { recursive: true, force: true }).catch(throwFileError('write', place));
      return place;
    };
    const whileNeeded = AbortSignal.any([signal, needless.signal]);
    await writeConversion(conversion, { out: work, signal: whileNeeded, onProgress, choosePlace, whenFull: WHEN_FULL });
    return await placing;
  } catch (error) {
    // A failed conversion, as on a full disk, may not be needed.
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
 * Returns a function that removes the artifact of a GGUF file and returns its bytes; for use after the file is gone.
 * Undefined without a known artifact. The file is not read.
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

/**
 * The path of a GGUF file's artifact, existing or not. Errors: `cache_unwritable`, those of reading files; the reason
 * of the signal.
 */
export async function artifactPlace(options: ImportOptions): Promise<string> {
  const cache = await findCacheDirectory(options.cacheDir);
  return importPathOf(await digestOf(await listParts(options.file), cache, options), cache);
}

/** Reports that wait until it is known that the file can be converted. */
interface HeldReports {
  readonly onProgress: OnProgress;
  /** Passes on the notices, then the progress of each phase, and from now on each report at once. */
  release(notices: readonly Notice[]): void;
  /** Passes on the phase `convert`, whose work began beside that of `hash`. */
  releaseConversion(): void;
}

/** Holds progress back until `release`, and that of conversion until `releaseConversion` too. */
function holdReports(onProgress: OnProgress | undefined, onNotice: OnNotice | undefined): HeldReports {
  const held = new Map<LoadProgress['phase'], LoadProgress>();
  let isReleased = false;
  let isHashed = false;
  const isHeld = (phase: LoadProgress['phase']): boolean => !isReleased || (phase === 'convert' && !isHashed);
  const tellHeld = (): void => {
    for (const [phase, progress] of held) {
      if (isHeld(phase)) continue;
      held.delete(phase);
      // A small file has only this report, and listeners also need the beginning.
      if (progress.doneBytes > 0) onProgress?.({ ...progress, doneBytes: 0 });
      onProgress?.(progress);
    }
  };
  return {
    onProgress(progress) {
      if (isHeld(progress.phase)) held.set(progress.phase, progress);
      else onProgress?.(progress);
    },
    release(notices) {
      for (const notice of notices) onNotice?.(notice);
      isReleased = true;
      tellHeld();
    },
    releaseConversion() {
      isHashed = true;
      tellHeld();
    },
  };
}
