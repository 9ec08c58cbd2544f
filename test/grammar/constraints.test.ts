import { describe, expect, it } from 'vitest';
import { checkConstraint, createConstraint, type ConstraintSpec, type TokenMask } from '../../src/grammar/index.js';

const VOCAB = 100;

function idsOf(mask: TokenMask | undefined): number[] | 'all' {
  if (mask === undefined) return 'all';
  return Array.from({ length: VOCAB }, (_, id) => id).filter((id) => (((mask[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1);
}

/** (1 2 3 | 40 3)* 99 */
const automaton: ConstraintSpec = {
  kind: 'automaton',
  skipsForced: true,
  states: [
    [
      [1, 1],
      [40, 2],
      [99, 3],
    ],
    [[2, 2]],
    [[3, 0]],
    [],
  ],
};

describe('automaton', () => {
  it('allows what its state has transitions for, and ends in a state without', () => {
    const constraint = createConstraint(automaton, { vocabSize: VOCAB });
    const seen = [1, 2, 3, 40, 3, 99].map((tokenId) => {
      const allowed = idsOf(constraint.allowed);
      constraint.advance(tokenId);
      return allowed;
    });
    expect(seen).toEqual([[1, 40, 99], [2], [3], [1, 40, 99], [3], [1, 40, 99]]);
    expect(constraint.ended).toBe(true);
    expect(idsOf(constraint.allowed)).toEqual([]);
  });

  it('forces what has no alternative, as far as that goes, and only when asked to', () => {
    const skipping = createConstraint(automaton, { vocabSize: VOCAB });
    const sampling = createConstraint({ ...automaton, skipsForced: false }, { vocabSize: VOCAB });
    for (const constraint of [skipping, sampling]) constraint.advance(1);
    expect(skipping.forced).toEqual([2, 3]);
    expect(sampling.forced).toEqual([]);
    expect(sampling.allowed).toEqual(skipping.allowed);
  });

  it('forces one round of a circle that has no way out', () => {
    const circle = createConstraint(
      { kind: 'automaton', skipsForced: true, states: [[[5, 1]], [[6, 0]]] },
      { vocabSize: VOCAB },
    );
    expect(circle.forced).toEqual([5, 6]);
    expect(circle.ended).toBe(false);
  });
});

describe('reasoning budget', () => {
  const spec: ConstraintSpec = {
    kind: 'reasoning-budget',
    budget: 2,
    startsInside: false,
    openTokenId: 70,
    closeTokenId: 71,
  };

  it('allows only the closing tag once the budget is used up', () => {
    const constraint = createConstraint(spec, { vocabSize: VOCAB });
    const seen = [8, 70, 8, 9, 71, 8].map((tokenId) => {
      const allowed = idsOf(constraint.allowed);
      constraint.advance(tokenId);
      return allowed;
    });
    expect(seen.slice(0, 5)).toEqual(['all', 'all', 'all', 'all', [71]]);
    // Cut short, the model may not close it a second time.
    expect(seen[5]).toHaveLength(VOCAB - 1);
    expect(seen[5]).not.toContain(71);
    expect(constraint.ended).toBe(false);
  });

  it('is over once the model has closed the reasoning by itself', () => {
    const constraint = createConstraint(spec, { vocabSize: VOCAB });
    for (const tokenId of [70, 8, 71, 70, 8, 8, 8]) constraint.advance(tokenId);
    expect(constraint.forced).toEqual([]);
    expect(constraint.allowed).toBe(undefined);
  });

  it('closes at once what the prompt has opened, when the budget is 0', () => {
    const constraint = createConstraint({ ...spec, budget: 0, startsInside: true }, { vocabSize: VOCAB });
    expect(constraint.forced).toEqual([71]);
    expect(idsOf(constraint.allowed)).toEqual([71]);
  });
});

it.each<[string, ConstraintSpec]>([
  [
    'constraint.kind is "nonsense"; it must be automaton or reasoning-budget or grammar or after-reasoning',
    { kind: 'nonsense' } as never,
  ],
  ['constraint.kind is absent', null as never],
  ['constraint.states[0][0] is 7; it must be a pair', { kind: 'automaton', states: [[7 as never]] }],
  ['constraint.states is ', { kind: 'automaton', states: [] }],
  [
    'constraint.states[0][0][0] is 100; it must be a whole number from 0 to 99',
    { kind: 'automaton', states: [[[100, 0]]] },
  ],
  ['constraint.states[0][0][1] is 1; it must be a state from 0 to 0', { kind: 'automaton', states: [[[1, 1]]] }],
  [
    'constraint.budget is -1; it must be a whole number from 0 on',
    { kind: 'reasoning-budget', budget: -1, startsInside: true, openTokenId: 1, closeTokenId: 2 },
  ],
  [
    'constraint.closeTokenId is 1.5; it must be a whole number from 0 to 99',
    { kind: 'reasoning-budget', budget: 1, startsInside: true, openTokenId: 1, closeTokenId: 1.5 },
  ],
])('refuses: %s', (message, spec) => {
  expect(() => checkConstraint(spec, { vocabSize: VOCAB })).toThrow(message);
});
