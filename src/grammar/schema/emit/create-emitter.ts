import { isJsonObject } from '../../../base/index.js';
import type { Expression } from '../../grammar.js';
import { intersect, MAX_STEPS, type Automaton, type WorkBudget } from '../../regular/index.js';
import { type Keyword } from '../document/unsupported.js';
import { FALSE, TRUE, type Formula } from '../shape/formula.js';
import type { Shape } from '../shape/shape.js';
import { emitArray } from './arrays.js';
import { NEVER, alternatives } from './builder.js';
import type { Emitter } from './emitter.js';
import { literalTexts } from './literals.js';
import { numberTexts } from './numbers/number-texts.js';
import { emitObject } from './objects.js';
import { emitString, quoted } from './strings.js';
import { deepestLevel, gap } from './whitespace.js';

/** Inputs of an emitter. */
export type EmitterOptions = Pick<Emitter, 'reader' | 'builder' | 'mode' | 'whitespace' | 'isAnyOrder' | 'avoided'>;

/** Makes rules in `options.builder`; all that is asked for is worked out when the builder finishes. */
export function createEmitter(options: EmitterOptions): Emitter {
  const { builder, whitespace, avoided, reader, mode } = options;
  const copies = createCopies(builder.budget);
  const deepest = deepestLevel(whitespace);
  const numbers = new Map<Automaton, number>();
  const numberOf = (automaton: Automaton): number => {
    const found = numbers.get(automaton) ?? numbers.size;
    numbers.set(automaton, found);
    return found;
  };
  const toQuoted: Emitter['quoted'] = (automaton, spelling) =>
    builder.later(`text ${numberOf(automaton)} ${spelling}`, () => {
      const allowed = avoided === undefined ? automaton : intersect(automaton, avoided.free, builder.budget);
      return quoted(builder, allowed, spelling);
    });
  const emitters = new Map<number, Emitter>();
  const atLevel = (level: number): Emitter => {
    const known = emitters.get(level);
    if (known !== undefined) return known;
    const emitter: Emitter = {
      ...options,
      gap: gap(builder, whitespace, level),
      get inside() {
        return atLevel(Math.min(level + 1, deepest));
      },
      value: (formula) => valueAt(level, formula),
      quoted: toQuoted,
    };
    emitters.set(level, emitter);
    return emitter;
  };
  const valueAt = (level: number, formula: Formula): Expression => {
    if (formula === FALSE) return NEVER;
    const { arrays, objects } = reader.shapeOf(formula, mode);
    // An expression without brackets is the same at all levels.
    const at = arrays.length + objects.length === 0 ? deepest : level;
    const key = formula === TRUE ? 'any' : `value ${formula.key}`;
    const emit = (): Expression => emitShape(atLevel(at), formula);
    return builder.later(`${key} at ${at}`, () =>
      at === deepest ? emit() : (copies.make(key, emit) ?? valueAt(deepest, formula)),
    );
  };
  return atLevel(0);
}

/** Limit of steps for values that are emitted for several levels: a part of one compilation's. */
const MAX_COPY_STEPS = MAX_STEPS / 16;

/** Expressions emitted once for each level of brackets, as far as that does not make a grammar much larger. */
interface Copies {
  /** The result of `emit`; undefined where the same key was emitted before, and the limit is reached. */
  readonly make: (key: string, emit: () => Expression) => Expression | undefined;
}

function createCopies(budget: WorkBudget): Copies {
  const known = new Set<string>();
  let left = MAX_COPY_STEPS;
  return {
    make(key, emit) {
      if (!known.has(key)) {
        known.add(key);
        return emit();
      }
      if (left <= 0) return undefined;
      const before = budget.left();
      const made = emit();
      left -= before - budget.left();
      return made;
    },
  };
}

function emitShape(emitter: Emitter, formula: Formula): Expression {
  emitter.builder.budget.spend(150);
  return valueTexts(emitter, emitter.reader.shapeOf(formula, emitter.mode), formula);
}

/** The texts of the values of a shape; `formula`: where it comes from, for a message. */
export function valueTexts(emitter: Emitter, shape: Shape, formula: Formula): Expression {
  return alternatives(
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
    const keyword = isJsonObject(schema) ? EXCLUDING.find((each) => each in schema) : undefined;
    if (keyword !== undefined) return { pointer, keyword };
  }
  return { pointer: '', keyword: 'not' };
}
