import { createVocabulary, type TextGrammar } from '../../../../src/grammar/entry.js';

/** Tokens of a text that is walked. */
const STEPS = 12;

/** All bytes, and pieces as a model of JSON has them. */
const pieces = [
  ['{"', '":', '": ', '","', '", "', '"}', '"]', '},', '}, {', '[]', '{}', '[{"', '}}', ']}', '  ', '\n', '\n  '],
  ['true', 'false', 'null', 'tr', 'ull', '10', '12', '.5', '-1', '1e', 'E+', '00', '20', '2024-', ':00', 'Z"'],
  ['a', 'ab', 'abc', 'xyz', 'the', ' the', 'é', 'é😀', '\\u00', '\\n', '\\"', '\\\\', 'type', 'name', '"a', '"ab"'],
].flat();
const vocabulary = createVocabulary([
  ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
  ...pieces.map((piece) => new TextEncoder().encode(piece)),
]);

/**
 * Makes the first tokens of a random text, each by the mask of the text before, and says what does not hold: a token that
 * is allowed can be taken, another cannot, and a text that is not over goes on (there are tokens of all bytes).
 */
export function walkGrammar(grammar: TextGrammar, random: () => number, onStep: () => void): string | undefined {
  let state = grammar.start();
  for (let step = 0; step < STEPS; step++) {
    const mask = state.mask(vocabulary);
    const allowed: number[] = [];
    for (let id = 0; id < vocabulary.vocabSize; id++) if (((mask[id >>> 5] ?? 0) >>> (id & 31)) & 1) allowed.push(id);
    if (state.isOver !== (allowed.length === 0))
      return `step ${step}: over is ${state.isOver}, tokens ${allowed.length}`;
    if (state.isOver) return state.canEnd ? undefined : `step ${step}: the text is over and cannot end`;
    const other = Math.floor(random() * vocabulary.vocabSize);
    const isTaken = state.advance(other, vocabulary) !== undefined;
    if (isTaken !== allowed.includes(other))
      return `step ${step}: token ${other} is taken: ${isTaken}, the mask differs`;
    const token = allowed[Math.floor(random() * allowed.length)] ?? -1;
    const next = state.advance(token, vocabulary);
    if (next === undefined) return `step ${step}: token ${token} is allowed and not taken`;
    state = next;
    onStep();
  }
  return undefined;
}
