/**
 * One file of a hub onto the disk: parts over several connections at once, into one sparse file, with a map of what is there.
 *
 *   link ─ ranges over connections ─ landing (file and map) ─ hash of what is there from the beginning ─ right? ─ done
 *                                        ↑                                                        └ parts fetched again
 */
import { crc32 } from 'node:zlib';
import { every, isAppError, present, sleep, systemClock, type Clock } from '../../base/index.js';
import type { HubFile } from '../api/hub-api.js';
import { isTransient, MAX_ATTEMPTS, reasonFor, waitBefore, type Retry } from '../http/retries.js';
import { FileLink, contentMismatch, type LinkOptions } from './file-link.js';
import { FetchChange, fetchWhole } from './fetch-range.js';
import { followHash, type HashFollower } from './hash-follower.js';
import { Landing } from './landing.js';
import { Pace } from './pace.js';
import { fetchPart, type PartOptions } from './part-fetcher.js';
import { lengthOf } from './part-map.js';

/** Events of a download. */
export interface DownloadEvents {
  /** So many bytes of the file are there. */
  readonly onBytes?: ((doneBytes: number) => void) | undefined;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** The server was found to have another version, or no ranges, or parts were wrong. */
  readonly onNote?: ((note: string) => void) | undefined;
}

/** The source and the target of a download. */
export interface DownloadOptions extends LinkOptions, DownloadEvents {
  /** The path of the finished file; its map lies beside it until it is removed. */
  readonly path: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A download under way. */
export interface Download {
  /** Resolves when the file is whole and its hash is right. */
  readonly done: Promise<void>;
  /** Resolves when these bytes have arrived; their hash may still turn out wrong. Errors: those of the download. */
  waitFor(start: number, end: number): Promise<void>;
  /** Bytes that came over the network so far. */
  readonly fetchedBytes: number;
  /** Number of repairs: after one, bytes that were read before may be wrong. */
  readonly rewrites: number;
}

/** Consecutive versions of one file after which the download gives up on the server. */
const MAX_CHANGES = 3;
/** How often speeds are looked at. They are of the machine's clock, as the limits of connections are. */
const TICK_MS = 1_000;

/**
 * Starts or resumes a download. Memory: some hundred KB for each connection.
 * Errors of `done`: those of a hub; `hub_content_mismatch` if the hash is still wrong after parts were fetched again;
 * those of writing files; the reason of the signal.
 */
export async function startDownload(options: DownloadOptions): Promise<Download> {
  const { path, file } = options;
  const landing = await Landing.open(path, file.hash.hex, file.sizeBytes);
  const run = new DownloadRun(landing, options);
  const done = run.run().catch((error: unknown) => {
    landing.fail(error);
    throw error;
  });
  // Readers that wait for bytes get the same error.
  done.catch(() => {});
  return {
    done,
    waitFor: (start, end) => landing.waitFor(start, end),
    get fetchedBytes() {
      return run.fetchedBytes;
    },
    get rewrites() {
      return run.rewrites;
    },
  };
}

class DownloadRun {
  readonly #landing: Landing;
  readonly #options: DownloadOptions;
  readonly #file: HubFile;
  readonly #link: FileLink;
  readonly #pace = new Pace();
  #hash: HashFollower | undefined;
  #hasRanges = true;
  fetchedBytes = 0;
  rewrites = 0;

  constructor(landing: Landing, options: DownloadOptions) {
    this.#landing = landing;
    this.#options = options;
    this.#file = options.file;
    this.#link = new FileLink(options);
  }

  async run(): Promise<void> {
    const stopTicking = every(TICK_MS, systemClock, () => this.#pace.tick());
    try {
      await this.#follow();
      await this.#fetchAll();
      await this.#verify();
    } finally {
      stopTicking();
      await this.#hash?.[Symbol.asyncDispose]();
      await this.#landing[Symbol.asyncDispose]();
    }
  }

  /** All that the landing lacks. */
  async #fetchAll(): Promise<void> {
    const { clock, signal, onNote, onRetry } = this.#options;
    for (let changes = 0, attempt = 1; !this.#landing.isComplete;) {
      signal.throwIfAborted();
      try {
        await (this.#hasRanges ? this.#fetchParts() : this.#fetchWhole());
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof FetchChange) {
          if (error.kind === 'changed' && ++changes > MAX_CHANGES)
            throw contentMismatch(this.#file.path, 'the storage returns another version at each request');
          this.#hasRanges &&= error.kind !== 'no_ranges';
          const why =
            error.kind === 'changed' ? 'the storage has another version of it' : 'the server sends whole files only';
          onNote?.(`${why}: the file is fetched from its beginning`);
          await this.#startAnew(error.kind === 'changed' ? error.etag : null);
        } else {
          // Each part has had its tries.
          const waitMs =
            this.#hasRanges || !isTransient(error) || ++attempt > MAX_ATTEMPTS ? undefined : waitBefore(attempt, error);
          if (waitMs === undefined) throw error;
          if (isAppError(error)) onRetry?.({ reason: reasonFor(error), attempt, waitMs });
          await sleep(waitMs, clock, signal);
          await this.#startAnew(null);
        }
      }
    }
  }

  /** Parts in their order, over as many connections as the pace allows. The first failure ends all. */
  async #fetchParts(): Promise<void> {
    const landing = this.#landing;
    const { map } = landing;
    const open = map.parts.flatMap(({ have }, index) => (have < lengthOf(map, index) ? [index] : []));
    const ending = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, ending.signal]);
    const connections = new Set<Promise<void>>();
    let failure: { readonly error: unknown } | undefined;
    const work = async (): Promise<void> => {
      while (open.length > 0 && failure === undefined && connections.size <= this.#pace.connections) {
        await fetchPart(present(open.shift(), 'a part is open'), this.#partOptions(signal));
        fill();
      }
    };
    const fill = (): void => {
      while (open.length > 0 && failure === undefined && connections.size < this.#pace.connections) {
        const connection = work().catch((error: unknown) => {
          failure ??= { error };
          ending.abort(error);
        });
        connections.add(connection);
        void connection.then(() => connections.delete(connection));
      }
    };
    fill();
    // The pace is checked when a part is done, and here too: a download of few large parts gains as well.
    const stopFilling = every(TICK_MS, systemClock, fill);
    try {
      while (connections.size > 0) await Promise.race(connections).then(fill);
    } finally {
      stopFilling();
    }
    if (failure !== undefined) throw failure.error;
  }

  /** From a server without ranges: in order, into the same parts. */
  async #fetchWhole(): Promise<void> {
    const landing = this.#landing;
    const { map } = landing;
    let at = 0;
    await fetchWhole({
      ...this.#partOptions(this.#options.signal),
      end: map.sizeBytes,
      onRefused: () => {},
      onEtag: () => {},
      onBytes: async (pieces) => {
        for (const bytes of pieces) {
          this.fetchedBytes += bytes.length;
          for (let from = 0; from < bytes.length;) {
            const index = Math.floor(at / map.partBytes);
            const piece = bytes.subarray(from, from + (index + 1) * map.partBytes - at);
            await landing.append(index, [piece]);
            at += piece.length;
            from += piece.length;
          }
        }
        this.#options.onBytes?.(at);
      },
    });
  }

  #partOptions(signal: AbortSignal): PartOptions {
    const { transport, clock, onRetry, onBytes } = this.#options;
    const landing = this.#landing;
    return {
      link: this.#link,
      transport,
      about: this.#options,
      landing,
      pace: this.#pace,
      clock,
      signal,
      onFetched: (bytes) => {
        this.fetchedBytes += bytes;
        onBytes?.(landing.doneBytes);
      },
      onRetry: (retry) => onRetry?.(retry),
    };
  }

  async #startAnew(etag: string | null): Promise<void> {
    this.rewrites++;
    this.#landing.reset(etag);
    await this.#follow();
  }

  /** Hashes from the beginning, starting with the existing bytes. */
  async #follow(): Promise<void> {
    await this.#hash?.[Symbol.asyncDispose]();
    const landing = this.#landing;
    const hash = await followHash(landing.path, this.#file);
    this.#hash = hash;
    hash.advance(landing.frontierBytes);
    landing.onFrontier = (bytes) => hash.advance(bytes);
  }

  async #isRight(): Promise<boolean> {
    return (await this.#hash?.digest()) === this.#file.hash.hex;
  }

  /** Where the hash is wrong, the parts that are wrong are found and fetched again. Errors: `hub_content_mismatch`. */
  async #verify(): Promise<void> {
    if (await this.#isRight()) return;
    const { onNote } = this.#options;
    const landing = this.#landing;
    const changed = await findChangedParts(landing);
    if (changed.length > 0) {
      onNote?.(`${changed.length} parts were changed on the disk and are fetched again`);
      this.rewrites++;
      for (const index of changed) landing.resetPart(index);
      await this.#fetchAll();
      await this.#follow();
      if (await this.#isRight()) return;
    }
    onNote?.('bits were flipped on the way: parts are fetched again until the hash is right');
    for (const index of landing.map.parts.keys()) {
      const { crc } = landing.part(index);
      this.rewrites++;
      landing.resetPart(index);
      await this.#fetchAll();
      if (landing.part(index).crc === crc) continue;
      await this.#follow();
      if (await this.#isRight()) return;
    }
    const { path, hash } = this.#file;
    landing.reset(null);
    throw contentMismatch(path, `its hash is not ${hash.hex.slice(0, 12)}…, also after every part was fetched again`);
  }
}

// A file that is whole and has another hash than it should. Only a few of its parts are wrong: which ones?

/** Bytes of one read. */
const READ_BYTES = 1 << 20;

/**
 * Finds parts whose bytes on the disk differ from the received ones: they were overwritten, or lost in a power failure. Errors:
 * those of reading files.
 */
async function findChangedParts(landing: Landing): Promise<number[]> {
  const changed: number[] = [];
  for (const [index, { crc }] of landing.map.parts.entries()) {
    if ((await crcOfPart(landing, index)) !== crc) changed.push(index);
  }
  return changed;
}

async function crcOfPart(landing: Landing, index: number): Promise<number> {
  const { map } = landing;
  const buffer = new Uint8Array(READ_BYTES);
  const start = index * map.partBytes;
  const end = start + lengthOf(map, index);
  let crc = 0;
  for (let at = start; at < end;) {
    const count = await landing.read(buffer.subarray(0, end - at), at);
    if (count === 0) return -1;
    crc = crc32(buffer.subarray(0, count), crc);
    at += count;
  }
  return crc;
}
