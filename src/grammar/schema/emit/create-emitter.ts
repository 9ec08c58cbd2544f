import type { Expression } from '../../grammar.js';
import { intersect, type Automaton } from '../../regular/index.js';
import { isObject, type Keyword } from '../document/unsupported.js';
import { FALSE, TRUE, type Formula } from '../shape/formula.js';
import type { Shape } from '../shape/shape.js';
import { emitArray } from './arrays.js';
import { NEVER, oneOf } from './builder.js';
import type { Emitter } from './emitter.js';
import { literalTexts } from './literals.js';
import { numberTexts } from './number-texts.js';
import { emitObject } from './objects.js';
import { emitString, quoted } from './strings.js';
import { gap } from './whitespace.js';

/** What an emitter is made from. */
export type EmitterOptions = Pick<Emitter, 'reader' | 'builder' | 'mode' | 'whitespace' | 'isAnyOrder' | 'avoided'>;

/** Makes rules in `options.builder`; all that is asked for is worked out when the builder finishes. */
export function createEmitter(options: EmitterOptions): Emitter {
  const { builder, whitespace, avoided } = options;
  const numbers = new Map<Automaton, number>();
  const numberOf = (automaton: Automaton): number => {
    const found = numbers.get(automaton) ?? numbers.size;
    numbers.set(automaton, found);
    return found;
  };
  const emitter: Emitter = {
    ...options,
    gap: gap(builder, whitespace),
    value(formula) {
      if (formula === FALSE) return NEVER;
      const key = formula === TRUE ? 'any' : `value ${formula.key}`;
      return builder.later(key, () => emitShape(emitter, formula));
    },
    quoted: (automaton, spelling) =>
      builder.later(`text ${numberOf(automaton)} ${spelling}`, () => {
        const allowed = avoided === undefined ? automaton : intersect(automaton, avoided.free, builder.budget);
        return quoted(builder, allowed, spelling);
      }),
  };
  return emitter;
}

function emitShape(emitter: Emitter, formula: Formula): Expression {
  emitter.builder.budget.spend(100);
  return valueTexts(emitter, emitter.reader.shapeOf(formula, emitter.mode), formula);
}

/** The texts of the values of a shape; `formula`: where it comes from, for a message. */
export function valueTexts(emitter: Emitter, shape: Shape, formula: Formula): Expression {
  return oneOf(
    ...literalTexts(emitter, shape),
    ...shape.strings.flatMap((part) => emitString(emitter, part)),
    ...shape.numbers.flatMap((part) => numberTexts(emitter, part)),
    ...shape.arrays.flatMap((part) => emitArray(emitter, part)),
    ...shape.objects.flatMap((part) => emitObject(emitter, part, blameOf(formula))),
  );
}

/** Keywords that may exclude an object with some property. */
const EXCLUDING: readonly string[] = ['not', 'oneOf', 'if', 'anyOf', 'allOf', '$ref'];

/** The keyword that a formula comes from, for a message. */
export function blameOf({ literals }: Formula): Keyword {
  for (const { node } of literals) {
    if (node.source.kind !== 'schema') continue;
    const { schema, pointer } = node.source.place;
    const keyword = isObject(schema) ? EXCLUDING.find((each) => each in schema) : undefined;
    if (keyword !== undefined) return { pointer, keyword };
  }
  return { pointer: '', keyword: 'not' };
}
