import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrammarWalk, type TokenMask } from '../../src/grammar/index.js';
import { MaskQueue } from '../../src/engine/masks/mask-queue.js';
import {
  dropRecord,
  grammarFromBytes,
  grammarToBytes,
  orderRecord,
  partsOf,
} from '../../src/engine/masks/mask-records.js';
import { grammarSpecs, hostileSpec, openTexts } from './text-vocabulary.js';

const VOCAB = 197;
const specs = [...grammarSpecs, hostileSpec];
const vocabulary = openTexts(VOCAB);

const whole = (record: Uint8Array | readonly Uint8Array[]): Uint8Array =>
  Uint8Array.from(ArrayBuffer.isView(record) ? record : Buffer.concat(record));

/** A queue that knows all grammars, each by its place, and what it delivered in order. */
function openQueue(): {
  readonly queue: MaskQueue;
  readonly delivered: [order: number, mask: TokenMask | undefined][];
} {
  const delivered: [number, TokenMask | undefined][] = [];
  const queue = new MaskQueue(openTexts(VOCAB), (order, mask) => delivered.push([order, mask?.slice()]));
  specs.forEach(({ grammar }, id) => {
    for (const part of partsOf(id, grammar)) queue.take(whole(part));
  });
  return { queue, delivered };
}

/** The state after a random text of so many tokens, by the choices `picks`. */
function walk(grammarId: number, picks: readonly number[]): ReturnType<GrammarWalk['start']> {
  let state = new GrammarWalk((specs[grammarId] as (typeof specs)[number]).grammar).start();
  for (const pick of picks) {
    const mask = vocabulary.mask(state);
    const ids = Array.from({ length: VOCAB }, (_, id) => id).filter((id) => ((mask[id >>> 5] ?? 0) >>> (id & 31)) & 1);
    const next = state.advance(vocabulary.bytesOf(ids[pick % ids.length] ?? -1));
    if (ids.length === 0 || next === undefined) break;
    state = next;
  }
  return state;
}

describe('masks that are ordered by a state in words', () => {
  it('are those that are made in one go, of many texts in turns', () => {
    const texts = fc.array(fc.tuple(fc.nat(grammarSpecs.length), fc.array(fc.nat(), { maxLength: 4 })), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(texts, (all) => {
        const { queue, delivered } = openQueue();
        const states = all.map(([grammarId, picks]) => walk(grammarId, picks));
        states.forEach((state, order) => queue.take(whole(orderRecord(all[order]?.[0] ?? 0, order, state.toWords()))));
        while (queue.hasWork) queue.turn();
        const made = new Map(delivered);
        expect(made.size).toBe(all.length);
        states.forEach((state, order) => expect(made.get(order)).toEqual(vocabulary.mask(state)));
      }),
      { numRuns: 60, seed: 20_261_126 },
    );
  });

  it('come at the first turn, whatever takes long beside them, and one that takes too much does not come', () => {
    const { queue, delivered } = openQueue();
    const hostile = specs.length - 1;
    let state = new GrammarWalk(hostileSpec.grammar).start();
    for (const letter of 'abcabcab') state = state.advance(Buffer.from(letter)) ?? state;
    const slow = state.toWords();
    queue.take(whole(orderRecord(hostile, 1, slow)));
    queue.turn();
    expect([delivered.length, queue.hasWork]).toEqual([0, true]);
    for (let order = 2; order < 6; order++) {
      queue.take(
        whole(orderRecord(order % grammarSpecs.length, order, walk(order % grammarSpecs.length, []).toWords())),
      );
      queue.turn();
      expect(delivered.at(-1)?.[0]).toBe(order);
      queue.turn();
    }
    queue.take(dropRecord(0));
    while (queue.hasWork) queue.turn();
    expect(delivered).toHaveLength(5);
  });
});

it('a grammar is the same after it was written, also in parts', () => {
  for (const { grammar } of specs) {
    expect(grammarFromBytes(Uint8Array.from(grammarToBytes(grammar)))).toEqual(grammar);
  }
});
