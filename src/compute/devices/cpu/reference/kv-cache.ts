import { KV_BLOCK_TOKENS, type KvFormat } from '../../../kv-block.js';
import { kvHeadBytes, type StoreKv } from '../kernel-interface.js';
import { quantizeBlock } from './quantize.js';
import { readF32, readI32, type Views } from './views.js';

/** One KV head of one block. Addresses follow kernel-interface.ts, `kvHeadBytes`. */
export interface KvHead {
  write(place: number, dim: number, key: Float32Array, value: Float32Array): void;
  key(place: number, dim: number): number;
  value(place: number, dim: number): number;
  /** The step of a quantised value; 1 for a float. */
  valueScale(place: number, dim: number): number;
}

/** Opens the head at byte offset `at`. `write` takes up to 32 dims from `dim` (a multiple of 32) on. */
export function openKvHead(views: Views, format: KvFormat, at: number, headDim: number): KvHead {
  return format === 'f32' ? openPlain(views, at, headDim) : openQuantized(views, at, headDim);
}

function openPlain(views: Views, at: number, headDim: number): KvHead {
  const keyAt = (place: number, dim: number): number =>
    at / 4 + Math.floor(place / 8) * headDim * 8 + dim * 8 + (place % 8);
  const valueAt = (place: number, dim: number): number => at / 4 + KV_BLOCK_TOKENS * headDim + place * headDim + dim;
  return {
    write(place, dim, key, value) {
      key.forEach((number, i) => (views.f32[keyAt(place, dim + i)] = number));
      value.forEach((number, i) => (views.f32[valueAt(place, dim + i)] = number));
    },
    key: (place, dim) => views.f32[keyAt(place, dim)] as number,
    value: (place, dim) => views.f32[valueAt(place, dim)] as number,
    valueScale: () => 1,
  };
}

function openQuantized(views: Views, at: number, headDim: number): KvHead {
  const bytes = KV_BLOCK_TOKENS * headDim;
  const values = at + kvHeadBytes('q8', headDim) / 2;
  const keyAt = (place: number, dim: number): number =>
    at + Math.floor(dim / 4) * KV_BLOCK_TOKENS * 4 + place * 4 + (dim % 4);
  const valueAt = (place: number, dim: number): number =>
    values + ((place % 16) * headDim + dim) * 2 + Math.floor(place / 16);
  const scaleAt = (base: number, place: number, dim: number): number =>
    (base + bytes) / 4 + Math.floor(dim / 32) * KV_BLOCK_TOKENS + place;
  return {
    write(place, dim, key, value) {
      const k = quantizeBlock(key);
      const v = quantizeBlock(value);
      k.integers.forEach((integer, i) => (views.u8[keyAt(place, dim + i)] = integer + 128));
      v.integers.forEach((integer, i) => (views.i8[valueAt(place, dim + i)] = integer));
      views.f32[scaleAt(at, place, dim)] = k.scale;
      views.f32[scaleAt(values, place, dim)] = v.scale;
    },
    key: (place, dim) =>
      ((views.u8[keyAt(place, dim)] as number) - 128) * (views.f32[scaleAt(at, place, dim)] as number),
    value: (place, dim) =>
      (views.i8[valueAt(place, dim)] as number) * (views.f32[scaleAt(values, place, dim)] as number),
    valueScale: (place, dim) => views.f32[scaleAt(values, place, dim)] as number,
  };
}

/** Writing keys and values into a cache of `format`. */
export function createStoreKv(views: Views, format: KvFormat): StoreKv {
  return (cache, blockBytes, kvHead, headDim, key, value, xStride, slots, rowStart, rowEnd) => {
    for (let row = rowStart; row < rowEnd; row++) {
      const slot = readI32(views, slots + row * 4);
      const block = cache + Math.floor(slot / KV_BLOCK_TOKENS) * blockBytes;
      const head = openKvHead(views, format, block + kvHead * kvHeadBytes(format, headDim), headDim);
      for (let dim = 0; dim < headDim; dim += 32) {
        const count = Math.min(32, headDim - dim);
        const read = (from: number): Float32Array =>
          Float32Array.from({ length: count }, (_, i) => readF32(views, from + row * xStride + (dim + i) * 4));
        head.write(slot % KV_BLOCK_TOKENS, dim, read(key), read(value));
      }
    }
  };
}
