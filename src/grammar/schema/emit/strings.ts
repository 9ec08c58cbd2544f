import type { Dfa, Expression } from '../../grammar.js';
import { isEmpty, toJsonString, type Automaton, type JsonSpelling } from '../../regular/index.js';
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
export function emitString({ reader, builder, quoted: toQuoted }: Emitter, part: StringPart): Expression[] {
  if (part.texts !== undefined) return [];
  if (part === ANY_STRING) return [anyString(builder)];
  const { min, max, languages } = part;
  const isFlat = languages.length > 0 || Math.max(min, max ?? 0) <= MAX_FLAT_LENGTH;
  if (!isFlat) return [inOrder(QUOTE, repeated(builder, codePoints(builder), min, max), QUOTE)];
  const automaton = partLanguage(reader, part);
  return isEmpty(automaton) ? [] : [toQuoted(automaton, languages.length > 0 ? 'printed' : 'every')];
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
function codePoints({ budget }: GrammarBuilder): Repeated {
  const regular = (automaton: Automaton): Expression => {
    const dfa: Dfa = toJsonString(automaton, 'every', budget);
    return { kind: 'regular', dfa };
  };
  return {
    key: 'code points',
    blockSize: BLOCK,
    exactly: (count) => regular(lengthAutomaton(count, count, budget)),
    upTo: (count) => regular(lengthAutomaton(0, count, budget)),
    any: () => regular(lengthAutomaton(0, undefined, budget)),
  };
}
