import { KV_BLOCK_TOKENS, type KvFormat } from '../../../kv-block.js';
import { kvHeadBytes, type Attention } from '../kernel-interface.js';
import { openKvHead, type KvHead } from './kv-cache.js';
import { quantizeBlock } from './quantize.js';
import { readF32, readI32, type Views } from './views.js';

/** Attention over a cache of `format`: all scores of a head, one softmax over them, one weighted sum. */
export function createAttention(views: Views, format: KvFormat): Attention {
  return (out, outStride, query, xStride, cache, blockBytes, kvHead, groupSize, headDim, ...rest) => {
    const [blockTables, tableStride, sequences, positions, rowStart, rowEnd, window, scale, softCap, sinks] = rest;
    for (let row = rowStart; row < rowEnd; row++) {
      const table = blockTables + readI32(views, sequences + row * 4) * tableStride;
      const last = readI32(views, positions + row * 4);
      const first = window > 0 ? Math.max(0, last - window + 1) : 0;
      const seen = Array.from({ length: last - first + 1 }, (_, i) => {
        const block = readI32(views, table + Math.floor((first + i) / KV_BLOCK_TOKENS) * 4);
        const at = cache + block * blockBytes + kvHead * kvHeadBytes(format, headDim);
        const number = Math.floor((first + i) / KV_BLOCK_TOKENS);
        return { head: openKvHead(views, format, at, headDim), place: (first + i) % KV_BLOCK_TOKENS, number };
      });
      for (let head = 0; head < groupSize; head++) {
        const q = readQuery(views, format, query + row * xStride + head * headDim * 4, headDim);
        const sink = sinks === 0 ? -Infinity : readF32(views, sinks + head * 4);
        const result = attend(q, seen, { headDim, scale, softCap, sink, format });
        views.f32.set(result, (out + row * outStride) / 4 + head * headDim);
      }
    }
  };
}

/** A query head; with int8 keys it is quantised too, 32 dims with one scale. */
function readQuery(views: Views, format: KvFormat, at: number, headDim: number): Float64Array {
  const query = Float32Array.from({ length: headDim }, (_, dim) => readF32(views, at + dim * 4));
  if (format === 'f32') return Float64Array.from(query);
  const result = new Float64Array(headDim);
  for (let dim = 0; dim < headDim; dim += 32) {
    const { integers, scale } = quantizeBlock(query.slice(dim, dim + 32));
    integers.forEach((integer, i) => (result[dim + i] = integer * scale));
  }
  return result;
}

/** A token that a row sees: where its keys and values lie, and the number of its block in the sequence. */
interface Seen {
  readonly head: KvHead;
  readonly place: number;
  readonly number: number;
}

/** How a head attends; `sink`: a score of its own, −Infinity for none. */
interface HeadAttention {
  readonly headDim: number;
  readonly scale: number;
  readonly softCap: number;
  readonly sink: number;
  readonly format: KvFormat;
}

function attend(
  query: Float64Array,
  seen: readonly Seen[],
  { headDim, scale, softCap, sink, format }: HeadAttention,
): Float64Array {
  const scores = seen.map(({ head, place }) => {
    let score = 0;
    for (let dim = 0; dim < headDim; dim++) score += (query[dim] as number) * head.key(place, dim);
    return softCap === 0 ? score * scale : softCap * Math.tanh((score * scale) / softCap);
  });
  const largest = scores.reduce((most, score) => Math.max(most, score), sink);
  const weights = scores.map((score) => Math.exp(score - largest));
  const total = weights.reduce((sum, weight) => sum + weight, Math.exp(sink - largest));
  const result = new Float64Array(headDim);
  for (let dim = 0; dim < headDim; dim += 32) {
    const own = format === 'q8' ? roundWeights(weights, seen, dim) : weights;
    seen.forEach(({ head, place }, i) => {
      for (let at = dim; at < Math.min(headDim, dim + 32); at++) {
        result[at] = (result[at] as number) + ((own[i] as number) / total) * head.value(place, at);
      }
    });
  }
  return result;
}

/** Weights for the 32 dims from `dim` on, rounded as in kernel-interface.ts, Attention, for int8 values. */
function roundWeights(weights: readonly number[], seen: readonly Seen[], dim: number): number[] {
  const scales = seen.map(({ head, place }) => head.valueScale(place, dim));
  const greatest = new Map<number, number>();
  seen.forEach(({ number }, i) => {
    const product = (weights[i] as number) * (scales[i] as number);
    greatest.set(number, Math.max(greatest.get(number) ?? 0, product));
  });
  return weights.map((weight, i) => {
    const unit = (greatest.get((seen[i] as Seen).number) ?? 0) / 32_767;
    const scale = scales[i] as number;
    return unit === 0 || scale === 0 ? 0 : (Math.round((weight * scale) / unit) * unit) / scale;
  });
}
