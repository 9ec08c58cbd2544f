import type { Expression, Grammar } from '../../src/grammar/grammar.js';

/**
 * Whether a text follows a grammar, by the plainest way: the set of places where each expression may end, remembered for
 * each place where it begins. Grammars must not be left-recursive. The slow twin of the compiled form.
 */
export function grammarAccepts({ rules, start }: Grammar, text: string | Uint8Array): boolean {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const known = new Map<Expression, Map<number, ReadonlySet<number>>>();

  const endsOf = (expression: Expression, from: number): ReadonlySet<number> => {
    if (expression.kind === 'bytes') {
      const matches = expression.bytes.every((byte, i) => bytes[from + i] === byte);
      return new Set(matches ? [from + expression.bytes.length] : []);
    }
    const places = known.get(expression) ?? new Map<number, ReadonlySet<number>>();
    known.set(expression, places);
    const found = places.get(from);
    if (found !== undefined) return found;
    const ends = workOut(expression, from);
    places.set(from, ends);
    return ends;
  };
  const fromEach = (places: ReadonlySet<number>, of: Expression): Set<number> => {
    const ends = new Set<number>();
    for (const place of places) for (const end of endsOf(of, place)) ends.add(end);
    return ends;
  };
  const workOut = (expression: Exclude<Expression, { kind: 'bytes' }>, from: number): ReadonlySet<number> => {
    switch (expression.kind) {
      case 'regular': {
        const { classOf, numClasses, transitions, accepting } = expression.dfa;
        const ends = new Set<number>();
        for (let state = 0, at = from; state >= 0; at++) {
          if (accepting[state] === 1) ends.add(at);
          const byte = bytes[at];
          state = byte === undefined ? -1 : (transitions[state * numClasses + (classOf[byte] as number)] as number);
        }
        return ends;
      }
      case 'sequence':
        return expression.parts.reduce<ReadonlySet<number>>((places, part) => fromEach(places, part), new Set([from]));
      case 'choice':
        return new Set(expression.options.flatMap((option) => [...endsOf(option, from)]));
      case 'repeat': {
        let places: ReadonlySet<number> = new Set([from]);
        for (let i = 0; i < expression.min; i++) places = fromEach(places, expression.of);
        const ends = new Set(places);
        for (let i = expression.min; i < (expression.max ?? Infinity) && places.size > 0; i++) {
          const next = fromEach(places, expression.of);
          places = new Set([...next].filter((place) => !ends.has(place)));
          for (const place of places) ends.add(place);
        }
        return ends;
      }
      case 'rule':
        return endsOf(rules[expression.rule] as Expression, from);
    }
  };
  return endsOf({ kind: 'rule', rule: start }, 0).has(bytes.length);
}
