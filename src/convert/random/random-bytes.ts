import {
  f16ToF32,
  f32ToF16,
  paddedColumns,
  ROWS_PER_GROUP,
  quantOf,
  quants,
  type Quant,
  type QuantBlock,
  type QuantName,
} from '../../weights/index.js';

/** Fills `words` with xorshift32 from `state`, never 0; returns the next state. Source: Marsaglia 2003. */
export function fillRandom(words: Uint32Array, state: number): number {
  let x = state;
  for (let i = 0; i < words.length; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    words[i] = x;
  }
  return x;
}

/** A state for `fillRandom` from any seed and index. */
export function randomState(seed: number, index: number): number {
  const mixed = Math.imul((seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0, 0x85ebca6b);
  return mixed | 1;
}

/**
 * Groups of a packed integer matrix with random weights of standard deviation `deviation`: random integers under one
 * scale, generated as bytes, since quantising a billion floats takes a hundred times as long. `groups` always returns
 * the same memory.
 */
export function fillRandomGroups(
  { bits, block: layout }: Pick<Quant, 'bits'> & { readonly block: QuantBlock },
  groups: Uint8Array,
  deviation: number,
  state: number,
): number {
  const next = fillRandom(new Uint32Array(groups.buffer, groups.byteOffset, groups.length / 4), state);
  const { bytes, scales, minima } = layout;
  if (bits === 8) for (let i = 0; i < groups.length; i++) if (groups[i] === 0x80) groups[i] = 0;
  const scale = f32ToF16(deviation / layout.deviation);
  // The minimum that puts the zero point in the middle.
  const minimum = f32ToF16(-(2 ** (bits - 1)) * f16ToF32(scale));
  for (let block = 0; block < groups.length; block += bytes) {
    for (let row = 0; row < ROWS_PER_GROUP; row++) {
      groups[block + scales + row * 2] = scale & 255;
      groups[block + scales + row * 2 + 1] = scale >> 8;
      if (minima === undefined) continue;
      groups[block + minima + row * 2] = minimum & 255;
      groups[block + minima + row * 2 + 1] = minimum >> 8;
    }
  }
  return next;
}

/** Rows of uniform f32 of standard deviation `deviation`. */
export function fillRandomFloats(values: Float32Array, deviation: number, state: number): number {
  const words = new Uint32Array(values.length);
  const next = fillRandom(words, state);
  const width = (deviation * Math.sqrt(12)) / 2 ** 32;
  for (let i = 0; i < values.length; i++) values[i] = ((words[i] as number) - 2 ** 31) * width;
  return next;
}

/** Packed pieces of a matrix with random weights, about a megabyte each; a piece is valid until the next is requested. */
export function* randomMatrix(
  quant: QuantName,
  rows: number,
  columns: number,
  deviation: number,
  seedState: number,
): Generator<Uint8Array> {
  const stored = paddedColumns(columns);
  const groupBytes = quants[quant].groupBytes(stored);
  const groups = Math.ceil(rows / ROWS_PER_GROUP);
  const perPiece = Math.min(groups, Math.max(1, Math.floor(2 ** 20 / groupBytes)));
  const piece = new Uint8Array(perPiece * groupBytes);
  const { bits, block } = quantOf(quant);
  const floats = block === undefined ? new Float32Array(ROWS_PER_GROUP * stored) : null;
  let state = seedState;
  for (let first = 0; first < groups; first += perPiece) {
    const part = piece.subarray(0, Math.min(perPiece, groups - first) * groupBytes);
    if (block !== undefined) state = fillRandomGroups({ bits, block }, part, deviation, state);
    else if (floats !== null) {
      for (let at = 0; at < part.length; at += groupBytes) {
        state = fillRandomFloats(floats, deviation, state);
        quants[quant].packGroup(floats, stored, part.subarray(at, at + groupBytes));
      }
    }
    yield part;
  }
}
