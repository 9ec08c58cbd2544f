import type { Dfa, Expression } from '../../grammar.js';
import {
  acceptsText,
  ANY_CHAR,
  ANY_TEXT,
  chars,
  choice,
  compilePattern,
  intersect,
  literal,
  optional,
  repeat,
  sequence,
  subtract,
  toUtf8,
  type Automaton,
  type Pattern,
} from '../../regular/index.js';
import { partLanguage } from '../expand/languages.js';
import { FALSE, type Formula } from '../shape/formula.js';
import type { StringPart } from '../shape/string-part.js';
import { bytes, EMPTY, inOrder, NEVER, alternatives } from './builder.js';
import { valueTexts } from './create-emitter.js';
import type { Emitter } from './emitter.js';
import { repeated } from './repeat.js';
import { codePoints, isFlat } from './strings.js';

/** Types of a text besides a plain string: `quoted` is a string in its quotes. */
export type TextType = 'null' | 'boolean' | 'number' | 'object' | 'array' | 'quoted';

const BLANKS = repeat(chars(' ', '\t', '\n', '\r'), 0);
const DIGITS = repeat(chars('09'), 1);
/** The texts that are read as a value of a type, or as the beginning of one. Source: RFC 8259, and Python's names for some. */
const READ_AS: Readonly<Record<TextType, Pattern>> = {
  null: sequence(BLANKS, choice(literal('null'), literal('None')), BLANKS),
  boolean: sequence(BLANKS, choice(...['true', 'false', 'True', 'False'].map(literal)), BLANKS),
  number: sequence(
    BLANKS,
    optional(literal('-')),
    DIGITS,
    optional(sequence(literal('.'), DIGITS)),
    optional(sequence(chars('E', 'e'), optional(chars('+', '-')), DIGITS)),
    BLANKS,
  ),
  object: sequence(BLANKS, literal('{'), ANY_TEXT),
  array: sequence(BLANKS, literal('['), ANY_TEXT),
  quoted: sequence(BLANKS, literal('"'), ANY_TEXT),
};
/** First characters of the texts that may be read as any of these. */
const FIRST = chars('\t', '\n', '\r', ' ', '"', '-', '09', 'F', 'N', 'T', '[', 'f', 'n', 't', '{');

/**
 * The texts of a value that is read as one of `types`, or else as a string. A value that is no string is JSON; strings
 * are unquoted, without those that would be read otherwise. Values of other types have no text.
 */
export function elementValue(emitter: Emitter, formula: Formula, types: ReadonlySet<TextType>): Expression {
  if (formula === FALSE) return NEVER;
  const { builder, reader, mode } = emitter;
  const key = [...types].toSorted().join();
  return builder.later(`element ${key} ${formula.key}`, () => {
    const shape = reader.shapeOf(formula, mode);
    const json = valueTexts(
      emitter,
      {
        hasNull: shape.hasNull && types.has('null'),
        booleans: types.has('boolean') ? shape.booleans : [],
        numbers: types.has('number') ? shape.numbers : [],
        strings: [],
        arrays: types.has('array') ? shape.arrays : [],
        objects: types.has('object') ? shape.objects : [],
      },
      formula,
    );
    return alternatives(json, ...shape.strings.flatMap((part) => rawString(emitter, part, types)));
  });
}

/** The strings of a part as they are. */
function rawString(emitter: Emitter, part: StringPart, types: ReadonlySet<TextType>): Expression[] {
  const { builder, reader, avoided } = emitter;
  const { budget } = builder;
  const other = compilePattern(choice(...[...types].map((type) => READ_AS[type])), budget);
  if (part.texts !== undefined) {
    const readable = part.texts.filter((text) => !acceptsText(other, text) && !has(text, avoided?.text));
    return readable.map(bytes);
  }
  if (isFlat(part)) {
    const all =
      avoided === undefined ? partLanguage(reader, part) : intersect(partLanguage(reader, part), avoided.free, budget);
    return [{ kind: 'regular', dfa: toUtf8(subtract(all, other, budget), budget) }];
  }
  const spell = (automaton: Automaton): Dfa => toUtf8(automaton, budget);
  const points = codePoints(emitter, 'raw code points', spell);
  const { min, max } = part;
  if (types.size === 0) return [repeated(builder, points, min, max)];
  // The first character of a long text decides its type.
  const first = subtract(compilePattern(ANY_CHAR, budget), compilePattern(FIRST, budget), budget);
  const alone = avoided === undefined ? first : intersect(first, avoided.apart, budget);
  const rest = repeated(builder, points, Math.max(0, min - 1), max === undefined ? undefined : max - 1);
  const some = inOrder({ kind: 'regular', dfa: spell(alone) }, rest);
  return min === 0 ? [EMPTY, some] : [some];
}

function has(text: string, avoided: string | undefined): boolean {
  return avoided !== undefined && text.includes(avoided);
}
