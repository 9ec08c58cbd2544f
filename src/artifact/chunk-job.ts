import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { isError, toErrorData } from '../base/index.js';

/** Target of bytes [start, start + target.length) of the weights. Sorted by start, none overlap. */
export interface Segment {
  readonly start: number;
  readonly target: Uint8Array;
}

/** The work of loading, shared by all participating threads. Survives structured cloning when targets are shared. */
export interface ChunkJob {
  readonly fd: number;
  readonly sizeBytes: number;
  readonly chunkBytes: number;
  /** Empty: nothing is hashed, and bytes outside of segments are not read. */
  readonly chunkSha256: readonly string[];
  readonly segments: readonly Segment[];
  /** i32 [2]: the next chunk, and a stop flag that is not 0 when all threads shall stop. */
  readonly state: Int32Array;
}

/** A chunk that differs from the manifest. `endedAt`: the file ended there. `errorCode`: the system could not read it. */
export interface ChunkFault {
  readonly chunk: number;
  readonly endedAt?: number;
  /** The system's code: an error object would lose it between threads. */
  readonly errorCode?: string;
}

/** Index of the stop flag in `state`. */
export const STOP = 1;

/**
 * Takes chunks until none is left. Reads each byte once, straight into its target, and hashes it there while it is in
 * the cache. Blocks the thread for one chunk at a time, between two `yield`s. Returns its first fault, after which
 * every thread stops.
 */
export function* runChunkJob(job: ChunkJob): Generator<void, ChunkFault | null> {
  const numChunks = Math.ceil(job.sizeBytes / job.chunkBytes);
  const scratch = new Scratch();
  while (Atomics.load(job.state, STOP) === 0) {
    const chunk = Atomics.add(job.state, 0, 1);
    if (chunk >= numChunks) return null;
    const fault = tryChunk(job, chunk, scratch);
    if (fault !== null) {
      Atomics.store(job.state, STOP, 1);
      return fault;
    }
    yield;
  }
  return null;
}

// Half of a core's cache, so that the bytes are still cached when they are hashed.
const PIECE_BYTES = 512 * 1024;

/** Memory for bytes outside of all segments, allocated at first use. */
class Scratch {
  #bytes: Uint8Array | undefined;

  take(length: number): Uint8Array {
    this.#bytes ??= new Uint8Array(PIECE_BYTES);
    return this.#bytes.subarray(0, Math.min(length, PIECE_BYTES));
  }
}

function tryChunk(job: ChunkJob, chunk: number, scratch: Scratch): ChunkFault | null {
  try {
    return loadChunk(job, chunk, scratch);
  } catch (error) {
    if (isError(error) && 'syscall' in error) return { chunk, errorCode: toErrorData(error).code };
    throw error;
  }
}

function loadChunk(job: ChunkJob, chunk: number, scratch: Scratch): ChunkFault | null {
  const end = Math.min((chunk + 1) * job.chunkBytes, job.sizeBytes);
  const expected = job.chunkSha256[chunk];
  const hash = expected === undefined ? null : createHash('sha256');
  let position = chunk * job.chunkBytes;
  let next = firstSegment(job.segments, position);
  while (position < end) {
    const segment = job.segments[next];
    const inside = segment !== undefined && segment.start <= position;
    const limit = inside ? segment.start + segment.target.length : (segment?.start ?? end);
    const length = Math.min(limit, end) - position;
    const into = inside
      ? segment.target.subarray(position - segment.start, position - segment.start + Math.min(length, PIECE_BYTES))
      : scratch.take(length);
    if (inside || hash !== null) {
      const bytesRead = readSync(job.fd, into, 0, into.length, position);
      if (bytesRead === 0) return { chunk, endedAt: position };
      hash?.update(bytesRead === into.length ? into : into.subarray(0, bytesRead));
      position += bytesRead;
    } else position += length;
    if (inside && position === limit) next++;
  }
  return hash !== null && hash.digest('hex') !== expected ? { chunk } : null;
}

/** The first segment that ends after `position`. */
function firstSegment(segments: readonly Segment[], position: number): number {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { start, target } = segments[middle] as Segment;
    if (start + target.length <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
