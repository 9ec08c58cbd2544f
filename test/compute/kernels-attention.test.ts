import { describe, expect, it } from 'vitest';
import type { KvFormat } from '../../src/compute/index.js';
import { attentionScratchBytes, kvHeadBytes, type Kernels } from '../../src/compute/devices/cpu/kernel-interface.js';
import {
  createImage,
  createRandom,
  difference,
  FIRST,
  openVariants,
  randomFloats,
  runReference,
  type Image,
} from './kernel-memory.js';

const variants = await openVariants();

interface Shape {
  readonly format: KvFormat;
  readonly headDim: number;
  readonly groupSize: number;
  /** Tokens of each sequence. */
  readonly contexts: readonly number[];
  readonly kvHeads?: number;
  readonly window?: number;
  /** Query rows of each sequence: its last ones. */
  readonly queries?: number;
  readonly querySize?: number;
  /** How much the first token of each sequence is liked more than the others, as the first dim of its key. */
  readonly sink?: number;
  /** Its values, beside those of others. */
  readonly sinkValue?: number;
  readonly softCap?: number;
  /** A score of each head without a value. */
  readonly hasSinks?: boolean;
}

interface Attention {
  readonly image: Image;
  readonly cache: { at: number; bytes: number };
  readonly out: { at: number; bytes: number };
  /** Its content does not matter. */
  readonly scratch: { at: number; bytes: number };
  readonly rows: number;
  store(kernels: Kernels): void;
  attend(kernels: Kernels, rowStart?: number, rowEnd?: number): void;
}

/** Sequences whose blocks lie scattered over the cache, and queries at their ends. */
function lay(shape: Shape): Attention {
  const {
    format,
    headDim,
    groupSize,
    contexts,
    kvHeads = 2,
    window = 0,
    queries = 1,
    querySize = 3,
    sink,
    sinkValue = 1,
    softCap = 0,
    hasSinks = false,
  } = shape;
  const image = createImage();
  const blocksEach = contexts.map((tokens) => Math.ceil(tokens / 32));
  const numBlocks = blocksEach.reduce((sum, blocks) => sum + blocks, 0) + 2;
  const scattered = scatter(numBlocks);
  const tables = blocksEach.map((blocks) => scattered.splice(0, blocks));
  const tableStride = Math.max(...blocksEach) * 4 + 4;
  const blockTables = image.integers(
    tables.flatMap((table) => [...table, ...Array<number>(tableStride / 4 - table.length).fill(0)]),
  );
  const slots = tables.flatMap((table, s) =>
    Array.from({ length: contexts[s] as number }, (_, t) => (table[t >> 5] as number) * 32 + (t & 31)),
  );
  const slotsAt = image.integers(slots);
  const kvStride = kvHeads * headDim * 4;
  const keyFloats = randomFloats((slots.length * kvStride) / 4, 5, 2);
  const firsts = contexts.map((_, s) => contexts.slice(0, s).reduce((sum, tokens) => sum + tokens, 0));
  for (let at = 0; sink !== undefined && at < keyFloats.length; at += headDim)
    keyFloats[at] = firsts.includes(Math.floor((at * 4) / kvStride)) ? sink : 0;
  const keys = image.floats(keyFloats);
  const valueFloats = randomFloats((slots.length * kvStride) / 4, 6, 2);
  for (const first of firsts)
    for (let i = 0; sink !== undefined && i < kvStride / 4; i++)
      valueFloats[(first * kvStride) / 4 + i] = (valueFloats[(first * kvStride) / 4 + i] as number) * sinkValue;
  const values = image.floats(valueFloats);
  const blockBytes = kvHeads * kvHeadBytes(format, headDim);
  const cache = { at: image.floats(randomFloats((numBlocks * blockBytes) / 4, 7)), bytes: numBlocks * blockBytes };
  const rowsOf = contexts.map((tokens) => Math.min(tokens, queries));
  const sequences = image.integers(rowsOf.flatMap((count, s) => Array<number>(count).fill(s)));
  const positions = image.integers(
    rowsOf.flatMap((count, s) => Array.from({ length: count }, (_, i) => (contexts[s] as number) - count + i)),
  );
  const rows = rowsOf.reduce((sum, count) => sum + count, 0);
  const stride = kvHeads * groupSize * headDim * 4 + 32;
  const queryFloats = randomFloats((rows * stride) / 4, 8, querySize);
  for (let at = 0; sink !== undefined && at < queryFloats.length; at++)
    if ((at % (stride / 4)) % headDim === 0) queryFloats[at] = querySize;
  const query = image.floats(queryFloats);
  const sinks = hasSinks ? image.floats(randomFloats(kvHeads * groupSize, 9, 4)) : 0;
  const out = { at: image.take(rows * stride), bytes: rows * stride };
  const scratchBytes = attentionScratchBytes(groupSize, headDim);
  const scratch = { at: image.take(scratchBytes), bytes: scratchBytes };
  const name = format === 'f32' ? 'F32' : 'Q8';
  return {
    image,
    cache,
    out,
    scratch,
    rows,
    store(kernels) {
      for (let head = 0; head < kvHeads; head++) {
        const at = head * headDim * 4;
        kernels[`storeKv${name}`](
          cache.at,
          blockBytes,
          head,
          headDim,
          keys + at,
          values + at,
          kvStride,
          slotsAt,
          0,
          slots.length,
        );
      }
    },
    attend(kernels, rowStart = 0, rowEnd = rows) {
      for (let head = 0; head < kvHeads; head++) {
        const at = head * groupSize * headDim * 4;
        const places = [blockTables, tableStride, sequences, positions] as const;
        const own = sinks === 0 ? 0 : sinks + head * groupSize * 4;
        const tail = [rowStart, rowEnd, window, 1 / Math.sqrt(headDim), softCap, own, scratch.at] as const;
        const run = kernels[`attention${name}`];
        run(
          out.at + at,
          stride,
          query + at,
          stride,
          cache.at,
          blockBytes,
          head,
          groupSize,
          headDim,
          ...places,
          ...tail,
        );
      }
    },
  };
}

function clearScratch(memory: Uint8Array, { scratch }: Attention): Uint8Array {
  return memory.fill(0, scratch.at - FIRST, scratch.at - FIRST + scratch.bytes);
}

/** 0 … count − 1 in an order that is the same on every run. */
function scatter(count: number): number[] {
  const random = createRandom(count);
  const keys = Array.from({ length: count }, (_, block) => ({ block, key: random() }));
  return keys.toSorted((a, b) => a.key - b.key).map(({ block }) => block);
}

/** Of the largest result. Over int8 values a weight that lies between two of 15 bits may be rounded to either. */
const TOLERANCE = { f32: 1e-5, q8: 5e-5 } as const;

function expectTwins(shape: Shape, tolerance: number = TOLERANCE[shape.format]): void {
  const laid = lay(shape);
  const both = (kernels: Kernels): void => {
    laid.store(kernels);
    laid.attend(kernels);
  };
  const expected = runReference(laid.image, both);
  const output = { ...laid.out, tolerance, rooms: [laid.scratch] };
  for (const { variant, run } of variants) {
    const actual = run(laid.image, both);
    expect(difference(actual, expected, output), `${variant} ${JSON.stringify(shape)}`).toBe(undefined);
  }
}

/** Rows in chunks of each size give the bits that all rows together give. */
function expectSameBits(shape: Shape, chunks: readonly number[]): void {
  const laid = lay(shape);
  for (const { variant, run } of variants) {
    const bits = (chunk: number): Uint8Array => {
      const memory = run(laid.image, (kernels) => {
        laid.store(kernels);
        for (let row = 0; row < laid.rows; row += chunk) laid.attend(kernels, row, Math.min(laid.rows, row + chunk));
      });
      return clearScratch(memory, laid);
    };
    const whole = bits(laid.rows);
    for (const chunk of chunks) {
      expect(Buffer.compare(bits(chunk), whole), `${variant} ${chunk} ${JSON.stringify(shape)}`).toBe(0);
    }
  }
}

describe.each(['f32', 'q8'] as const)('attention over a %s cache', (format) => {
  it.each([8, 16, 24, 32, 40, 64, 80, 128, 256])('equals the reference at headDim %i', (headDim) => {
    for (const groupSize of [1, 2, 3, 7, 16]) expectTwins({ format, headDim, groupSize, contexts: [33, 5] });
  });

  it.each([1, 31, 32, 33, 100])('equals the reference at a context of %i tokens', (tokens) => {
    expectTwins({ format, headDim: 24, groupSize: 3, contexts: [tokens, 64], queries: 7 });
    expectTwins({ format, headDim: 64, groupSize: 2, contexts: [tokens], kvHeads: 1, queries: 100 });
    expectTwins({ format, headDim: 256, groupSize: 4, contexts: [tokens], kvHeads: 1, queries: 9 });
  });

  it.each([1, 2, 31, 32, 33, 40, 99, 1000])('sees no further back than a window of %i', (window) => {
    expectTwins({ format, headDim: 32, groupSize: 2, contexts: [100, 40, 3], window, queries: 9 });
  });

  it.each([1, 2, 7, 16])('bounds scores, and counts a score without a value, in groups of %i heads', (groupSize) => {
    const shape = { format, groupSize, contexts: [70, 33, 1], queries: 9 };
    expectTwins({ ...shape, headDim: 40, softCap: 1.25 });
    expectTwins({ ...shape, headDim: 64, hasSinks: true, window: 20 });
    expectTwins({ ...shape, headDim: 64, softCap: 30, hasSinks: true, querySize: 40 });
  });

  it('gives a row the same bits whatever rows come with it', () => {
    for (const [groupSize, window] of [
      [2, 0],
      [3, 40],
      [7, 0],
    ] as const) {
      const shape: Shape = { format, headDim: 64, groupSize, contexts: [64, 70, 3], queries: 64, window };
      expectSameBits(shape, [1, 2, 7, 64]);
      expectSameBits({ ...shape, softCap: 2, hasSinks: true }, [1, 7]);
    }
  });

  it('gives the same bits in every variant but portable', () => {
    for (const groupSize of [1, 2, 7]) {
      const shape: Shape = { format, headDim: 72, groupSize, contexts: [64, 70, 3], queries: 9 };
      const laid = lay(shape);
      const results = variants
        .filter(({ variant }) => variant !== 'portable')
        .map(({ run }) =>
          clearScratch(
            run(laid.image, (kernels) => {
              laid.store(kernels);
              laid.attend(kernels);
            }),
            laid,
          ),
        );
      expect(results.length).toBeGreaterThan(1);
      for (const result of results) expect(Buffer.compare(result, results[0] as Uint8Array)).toBe(0);
    }
  });

  it('does not depend on what the rest of its last block holds', () => {
    const shape: Shape = { format, headDim: 32, groupSize: 3, contexts: [37], kvHeads: 1, queries: 3 };
    const laid = lay(shape);
    for (const { run } of variants) {
      const after = (fill: number): Uint8Array => {
        const image = { ...laid.image, bytes: laid.image.bytes.slice() };
        image.bytes.fill(fill, laid.cache.at, laid.cache.at + laid.cache.bytes);
        const memory = run(image, (kernels) => {
          laid.store(kernels);
          laid.attend(kernels);
        });
        return memory.slice(laid.out.at - FIRST, laid.out.at - FIRST + laid.out.bytes);
      };
      expect(Buffer.compare(after(0x00), after(0x41))).toBe(0);
    }
  });

  it('counts a thousand tokens that weigh next to nothing beside one', () => {
    // e^(1.5 · 48 / 8) to one: each weighs less than four units of 15 bits, all of them together an eighth.
    const shape = { format, headDim: 64, groupSize: 4, kvHeads: 1, querySize: 1.5, sink: 48 };
    expectTwins({ ...shape, contexts: [1000] });
    // As models have them: the first token is liked most, and says least.
    expectTwins({ ...shape, contexts: [1000], sinkValue: 0.02 });
    expectTwins({ ...shape, contexts: [32], sinkValue: 0.02 });
  });

  it('keeps large scores apart without overflow', () => {
    expectTwins({ format, headDim: 64, groupSize: 2, contexts: [70, 33], querySize: 300 }, 1e-3);
  });
});
