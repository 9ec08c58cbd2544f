import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { createThreadPool, describe, toErrorData, type ThreadPool } from '../../base/index.js';
import { refuse, refuseForMemory, type Refusal } from '../refusal.js';
import { inflateZstd, type Inflated } from './inflate-zstd.js';
import { boundZstd } from './zstd-frames.js';
import type { ZstdJob } from './zstd-thread.js';

type Inflate = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

/** Larger bodies are decompressed on a thread: WebAssembly makes a MiB in some 3 ms, during which streams would stall. */
const THREAD_FROM_BYTES = 1024 * 1024;
/** Headers of more bytes are not walked on this thread. */
const WALK_BYTES = 64 * 1024;
/** Bodies that may wait for the thread. */
const MAX_WAITING = 64;
/** The thread has a body and what comes of it in WebAssembly; its own objects are small. */
const HEAP_MB = 64;
/** How long the thread waits for another large body before it ends. */
const IDLE_MS = 10_000;

/** Undoes content-encodings of bodies. Disposing of it ends its thread. */
export interface BodyDecoder extends AsyncDisposable {
  /**
   * A body with its content-encoding undone; never larger than `maxBytes`. One encoding, since no client stacks them and
   * each multiplies what a small body can become.
   */
  decode(body: Uint8Array, encoding: string | undefined, maxBytes: number): Promise<Uint8Array | Refusal>;
}

/** How zstd is undone: by Node, which has it from 22.15 on, else in WebAssembly. */
export interface DecoderOptions {
  readonly zstd?: 'node' | 'wasm';
}

/** A decoder whose thread starts with the first large body of zstd, on a Node that has none of its own. */
export function createBodyDecoder(options: DecoderOptions = {}): BodyDecoder {
  let opening: Promise<ThreadPool<ZstdJob, Inflated>> | undefined;
  const onThread = async (job: ZstdJob): Promise<Inflated | 'busy'> => {
    opening ??= createThreadPool<ZstdJob, Inflated>({
      heapMb: HEAP_MB,
      idleTimeoutMs: IDLE_MS,
      maxQueue: MAX_WAITING,
      minThreads: 0,
      maxThreads: 1,
      file: 'dist/src/http/bodies/zstd-thread.js',
    });
    const pool = await opening;
    return pool.queueSize >= MAX_WAITING ? 'busy' : pool.run(job, { name: 'run' });
  };
  const inWasm = async (body: Uint8Array, maxBytes: number): Promise<Uint8Array | Refusal> => {
    const isSmall = body.length <= WALK_BYTES && (boundZstd(body, THREAD_FROM_BYTES)?.bytes ?? 0) <= THREAD_FROM_BYTES;
    const inflated = await (isSmall ? inflateZstd(body, maxBytes) : onThread({ body, maxBytes }));
    if (inflated === 'too large') return tooLarge(maxBytes);
    if (inflated === 'invalid') return broken('zstd');
    if (inflated === 'busy') {
      return refuse('too_many_bodies', 'too many requests with large bodies are under way; try again later');
    }
    return inflated;
  };
  const byNode = options.zstd === 'wasm' ? undefined : zstdOfNode();

  return {
    async decode(body, encoding, maxBytes) {
      const name = encoding?.trim().toLowerCase() ?? 'identity';
      if (name === 'identity' || name === '') return body;
      const inflate = name === 'zstd' ? byNode : inflaters.get(name);
      try {
        if (inflate !== undefined) return await inflate(body, { maxOutputLength: maxBytes });
        if (name === 'zstd') return await inWasm(body, maxBytes);
      } catch (error) {
        if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
          return tooLarge(maxBytes);
        }
        if (toErrorData(error).code === 'out_of_memory') return refuseForMemory(error, body.length);
        return broken(name);
      }
      const known = [...inflaters.keys(), 'zstd'].filter((key) => key !== 'x-gzip').join(', ');
      return refuse(
        'unsupported_media_type',
        `content-encoding is ${describe(encoding, true)}, which is not known here; known are ${known}`,
      );
    },
    async [Symbol.asyncDispose]() {
      await (await opening)?.destroy();
    },
  };
}

const gunzip: Inflate = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gunzip);

/** How each content-encoding is undone, off this thread. */
const inflaters: ReadonlyMap<string, Inflate> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.inflate)],
  ['br', promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)],
]);

function zstdOfNode(): Inflate | undefined {
  const found: unknown = Reflect.get(zlib, 'zstdDecompress');
  return typeof found === 'function' ? (promisify(found) as Inflate) : undefined;
}

function tooLarge(maxBytes: number): Refusal {
  return refuse('request_too_large', `the decompressed body is larger than the limit of ${maxBytes} bytes`);
}

function broken(name: string): Refusal {
  return refuse('body_encoding_invalid', `the body does not decompress as ${name}`);
}
