/**
 * The records between an engine and its mask thread, in two rings: grammars and orders of masks one way, masks the
 * other. A record is int32 words in the order of the machine. A grammar is sent in parts, since it may be longer than a
 * ring.
 *
 * - part: PART, grammar, all its bytes, where the part begins, bytes of the part, then these
 * - order: ORDER, grammar, order, then the state as `WalkState.toWords` writes it
 * - drop: DROP, grammar
 * - mask: order, 1, then its words; or order, 0 when it exceeded its limit
 */

import { assert } from '../../base/index.js';
import type { CompiledGrammar, TokenMask } from '../../grammar/index.js';

/** Kinds of records that the engine writes. */
export const RECORD = { part: 0, order: 1, drop: 2 } as const;

/** Words before the bytes of a part. */
const PART_WORDS = 5;
/** Bytes of one part: an eighth of the ring of orders. */
const PART_BYTES = 1 << 17;
/** Words before the state of an order. */
const ORDER_WORDS = 3;
/** Bytes of the ring of orders. */
export const ORDERS_BYTES: number = 1 << 20;
/** Limit of a state's words in an order: a ring accepts records of half its size. */
export const MAX_STATE_WORDS: number = ORDERS_BYTES / 8 - 64;
/** Masks that the ring of masks holds at least, which is twice that of one record. */
const MASKS_IN_RING = 16;
/** Bytes of it at least. */
const MIN_MASKS_BYTES = 1 << 16;

/** The arrays of a compiled grammar, int32 ones first, so that they lie at multiples of 4. */
const WORD_ARRAYS = ['ruleStates', 'edgeOffsets', 'edgeTargets', 'callOffsets', 'calls'] as const;
const BYTE_ARRAYS = ['accepting', 'edgeBytes'] as const;

/** Bytes of a ring for masks of `vocabSize` tokens. */
export function masksBytes(vocabSize: number): number {
  return Math.max(MIN_MASKS_BYTES, MASKS_IN_RING * (16 + Math.ceil(vocabSize / 32) * 4));
}

/** Encodes: whether the text may be empty, the first rule, the lengths of all arrays; then these. */
export function grammarToBytes(grammar: CompiledGrammar): Uint8Array {
  const words = WORD_ARRAYS.map((name) => grammar[name]);
  const bytes = BYTE_ARRAYS.map((name) => grammar[name]);
  const head = Int32Array.of(
    grammar.hasEmpty ? 1 : 0,
    grammar.start,
    ...words.map(({ length }) => length),
    ...bytes.map(({ length }) => length),
  );
  return Buffer.concat([head, ...words, ...bytes].map(bytesOf));
}

/** Decodes a grammar of `grammarToBytes`; `bytes` begin at a multiple of 4. */
export function grammarFromBytes(bytes: Uint8Array): CompiledGrammar {
  const head = new Int32Array(bytes.buffer, bytes.byteOffset, 2 + WORD_ARRAYS.length + BYTE_ARRAYS.length);
  const [hasEmpty, start = 0, ...lengths] = head;
  let at = bytes.byteOffset + head.byteLength;
  const words = WORD_ARRAYS.map((name, i) => {
    const array = new Int32Array(bytes.buffer, at, lengths[i]);
    at += array.byteLength;
    return [name, array] as const;
  });
  const rest = BYTE_ARRAYS.map((name, i) => {
    const array = new Uint8Array(bytes.buffer, at, lengths[WORD_ARRAYS.length + i]);
    at += array.byteLength;
    return [name, array] as const;
  });
  assert(at === bytes.byteOffset + bytes.length, 'a grammar fills its bytes');
  const arrays = Object.fromEntries([...words, ...rest]) as Omit<CompiledGrammar, 'hasEmpty' | 'start'>;
  return { hasEmpty: hasEmpty === 1, start, ...arrays };
}

/** The records of a grammar. */
export function* partsOf(grammarId: number, grammar: CompiledGrammar): Generator<readonly Uint8Array[]> {
  const bytes = grammarToBytes(grammar);
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    const part = bytes.subarray(at, at + PART_BYTES);
    yield [bytesOf(Int32Array.of(RECORD.part, grammarId, bytes.length, at, part.length)), part];
  }
}

/** The record of an order. */
export function orderRecord(grammarId: number, orderId: number, state: Int32Array): readonly Uint8Array[] {
  return [bytesOf(Int32Array.of(RECORD.order, grammarId, orderId)), bytesOf(state)];
}

/** The record that removes a grammar. */
export function dropRecord(grammarId: number): Uint8Array {
  return bytesOf(Int32Array.of(RECORD.drop, grammarId));
}

/** The record of a finished mask, or of one that exceeded its limit. */
export function maskRecord(orderId: number, mask: TokenMask | undefined): readonly Uint8Array[] {
  const head = bytesOf(Int32Array.of(orderId, mask === undefined ? 0 : 1));
  return mask === undefined ? [head] : [head, bytesOf(mask)];
}

/** A record of the engine, in memory of its own. */
export type MaskRecord =
  | {
      readonly kind: 'part';
      readonly grammarId: number;
      readonly size: number;
      readonly at: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'order'; readonly grammarId: number; readonly orderId: number; readonly state: Int32Array }
  | { readonly kind: 'drop'; readonly grammarId: number };

/** Decodes a record of the engine. */
export function readRecord(record: Uint8Array): MaskRecord {
  const words = new Int32Array(record.slice().buffer, 0, record.length >>> 2);
  const [kind, grammarId = 0, third = 0, at = 0, length = 0] = words;
  if (kind === RECORD.drop) return { kind: 'drop', grammarId };
  if (kind === RECORD.order) return { kind: 'order', grammarId, orderId: third, state: words.subarray(ORDER_WORDS) };
  const bytes = record.slice(4 * PART_WORDS, 4 * PART_WORDS + length);
  return { kind: 'part', grammarId, size: third, at, bytes };
}

/** Decodes a mask's record; `mask` is a copy, and undefined when it exceeded its limit. */
export function readMask(record: Uint8Array): { readonly orderId: number; readonly mask: TokenMask | undefined } {
  const [orderId = 0, isMade] = new Int32Array(record.slice(0, 8).buffer);
  return { orderId, mask: isMade === 1 ? new Uint32Array(record.slice(8).buffer) : undefined };
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
