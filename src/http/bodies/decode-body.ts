import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { describe, toErrorData } from '../../base/index.js';
import { refuse, refuseForMemory, type Refusal } from '../refusal.js';

type Inflate = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

/** Node has zstd from 22.15 on. */
function zstd(): Inflate | undefined {
  const found: unknown = Reflect.get(zlib, 'zstdDecompress');
  return typeof found === 'function' ? (promisify(found) as Inflate) : undefined;
}

/** How each content-encoding is undone, off this thread. */
function inflaters(): ReadonlyMap<string, Inflate> {
  const gunzip: Inflate = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gunzip);
  const known: [string, Inflate | undefined][] = [
    ['gzip', gunzip],
    ['x-gzip', gunzip],
    ['deflate', promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.inflate)],
    ['br', promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)],
    ['zstd', zstd()],
  ];
  return new Map(known.flatMap(([name, inflate]) => (inflate === undefined ? [] : [[name, inflate] as const])));
}

/**
 * A body with its content-encoding undone; never larger than `maxBytes`. One encoding, since no client stacks them
 * and each multiplies what a small body can become.
 */
export async function decodeBody(
  body: Uint8Array,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Uint8Array | Refusal> {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity' || name === '') return body;
  const known = inflaters();
  const inflate = known.get(name);
  if (inflate === undefined) {
    const names = [...known.keys()].filter((key) => key !== 'x-gzip').join(', ');
    return refuse(
      'unsupported_media_type',
      `content-encoding is ${describe(encoding, true)}, which is not known here; known are ${names}`,
    );
  }
  try {
    return await inflate(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      return refuse('request_too_large', `the decompressed body is larger than the limit of ${maxBytes} bytes`);
    }
    if (toErrorData(error).code === 'out_of_memory') return refuseForMemory(error, body.length);
    return refuse('body_encoding_invalid', `the body does not decompress as ${name}`);
  }
}
