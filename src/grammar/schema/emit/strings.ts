import type { Dfa, Expression } from '../../grammar.js';
import { intersect, isEmpty, toJsonString, type Automaton, type JsonSpelling } from '../../regular/index.js';
import { partLanguage } from '../expand/languages.js';
import { lengthAutomaton } from '../expand/lengths.js';
import { ANY_STRING, type StringPart } from '../shape/string-part.js';
import { bytes, inOrder, type GrammarBuilder } from './builder.js';
import type { Emitter } from './emitter.js';
import { repeated, type Repeated } from './repeat.js';

/** Lengths that are written out as one automaton; longer ones are made from blocks. */
const MAX_FLAT_LENGTH = 256;
/** Code points of one block. */
const BLOCK = 64;

const QUOTE = bytes('"');

/** The texts of the strings of a part; nothing where none holds it, or it lists them. */
export function emitString(emitter: Emitter, part: StringPart): Expression[] {
  const { reader, builder, avoided, quoted: toQuoted } = emitter;
  if (part.texts !== undefined) return [];
  if (part === ANY_STRING && avoided === undefined) return [anyString(builder)];
  const { min, max, languages } = part;
  if (!isFlat(part)) return [inOrder(QUOTE, repeated(builder, jsonCodePoints(emitter), min, max), QUOTE)];
  const automaton = partLanguage(reader, part);
  return isEmpty(automaton) ? [] : [toQuoted(automaton, languages.length > 0 ? 'printed' : 'every')];
}

/** Whether its texts are written out as one automaton. */
export function isFlat({ min, max, languages }: StringPart): boolean {
  return languages.length > 0 || Math.max(min, max ?? 0) <= MAX_FLAT_LENGTH;
}

/** Any string. */
export function anyString(builder: GrammarBuilder): Expression {
  return builder.later('string', () => quoted(builder, lengthAutomaton(0, undefined, builder.budget), 'every'));
}

/** The texts of an automaton as JSON strings. */
export function quoted({ budget }: GrammarBuilder, automaton: Automaton, spelling: JsonSpelling): Expression {
  return inOrder(QUOTE, { kind: 'regular', dfa: toJsonString(automaton, spelling, budget) }, QUOTE);
}

/** Code points of a JSON string, in a row. */
function jsonCodePoints(emitter: Emitter): Repeated {
  const { budget } = emitter.builder;
  return codePoints(emitter, 'code points', (automaton) => toJsonString(automaton, 'every', budget));
}

/**
 * Consecutive code points, in the spelling of `spell`, in blocks that contain the avoided text's beginning only with
 * its end.
 */
export function codePoints({ builder, avoided }: Emitter, key: string, spell: (automaton: Automaton) => Dfa): Repeated {
  const { budget } = builder;
  const counted = (min: number, max: number | undefined): Expression => {
    const automaton = lengthAutomaton(min, max, budget);
    const allowed = avoided === undefined ? automaton : intersect(automaton, avoided.apart, budget);
    return { kind: 'regular', dfa: spell(allowed) };
  };
  return {
    key,
    blockSize: BLOCK,
    exactly: (count) => counted(count, count),
    upTo: (count) => counted(0, count),
    any: () => counted(0, undefined),
  };
}
