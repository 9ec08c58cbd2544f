import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGrammar, createVocabulary, GrammarWalk, type Grammar } from '../../../src/grammar/index.js';
import { grammars, vocabularies } from '../build.js';
import { Earley } from '../earley.js';

/** Tokens that a walk takes at most. */
const STEPS = 6;
const BYTES = [...'abcd'].map((letter) => letter.charCodeAt(0));

/** Follows one text through both, and compares all that can be asked of it at each token. */
function compareWalks(grammar: Grammar, tokens: readonly (Uint8Array | undefined)[], choices: readonly number[]): void {
  const twin = new Earley(grammar);
  if (!twin.hasTexts) {
    expect(() => compileGrammar(grammar)).toThrow('no text satisfies the grammar');
    return;
  }
  const vocabulary = createVocabulary(tokens);
  let state = new GrammarWalk(compileGrammar(grammar)).start();
  let chart = twin.start();
  for (const choice of choices) {
    const goesOn = (bytes: Uint8Array | undefined): boolean =>
      bytes !== undefined && twin.advance(chart, bytes) !== undefined;
    const mask = vocabulary.mask(state);
    const allowed = tokens.flatMap((_, id) => (((mask[id >>> 5] ?? 0) >>> (id & 31)) & 1 ? [id] : []));
    expect(allowed).toEqual(tokens.flatMap((bytes, id) => (goesOn(bytes) ? [id] : [])));
    expect(state.canEnd).toBe(twin.canEnd(chart));
    expect(state.isOver).toBe(BYTES.every((byte) => !goesOn(Uint8Array.of(byte))));
    expectForced(state.forcedBytes(), twin, chart);
    const token = tokens[allowed[choice % allowed.length] ?? -1];
    if (token === undefined) return;
    const next = state.advance(token);
    const nextChart = twin.advance(chart, token);
    if (next === undefined || nextChart === undefined) throw new Error('an allowed token is refused');
    state = next;
    chart = nextChart;
  }
}

/** The twin's next bytes, as far as there is one way: up to 20. */
function expectForced(forced: Uint8Array, twin: Earley, from: ReturnType<Earley['start']>): void {
  const expected: number[] = [];
  let chart = from;
  while (expected.length < 20 && !twin.canEnd(chart)) {
    const ways = BYTES.flatMap((byte) => {
      const next = twin.advance(chart, [byte]);
      return next === undefined ? [] : [{ byte, next }];
    });
    const [only] = ways;
    if (only === undefined || ways.length > 1) break;
    expected.push(only.byte);
    chart = only.next;
  }
  expect([...forced.subarray(0, 20)]).toEqual(expected);
}

describe('masks, ends and forced bytes', () => {
  it('are those of an Earley parser that reads each token alone, for random grammars and vocabularies', () => {
    const choices = fc.array(fc.nat(), { minLength: STEPS, maxLength: STEPS });
    fc.assert(fc.property(grammars, vocabularies, choices, compareWalks), { numRuns: 1000, seed: 20_261_126 });
  });
});
