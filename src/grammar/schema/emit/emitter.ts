import type { Expression } from '../../grammar.js';
import type { Automaton, JsonSpelling } from '../../regular/index.js';
import type { Mode, Reader } from '../expand/reader.js';
import type { Formula } from '../shape/formula.js';
import type { GrammarBuilder } from './builder.js';
import type { AvoidedText } from './avoided-text.js';
import type { Whitespace } from './whitespace.js';

/** What makes rules out of formulas. */
export interface Emitter {
  readonly reader: Reader;
  readonly builder: GrammarBuilder;
  readonly mode: Mode;
  readonly whitespace: Whitespace;
  /** Properties come in any order, where they are few. */
  readonly isAnyOrder: boolean;
  /** What no string and no name may have in it. */
  readonly avoided: AvoidedText | undefined;
  /** Whitespace before the bracket that closes a value. */
  readonly gap: Expression;
  /** For what is within brackets: its lines have the indent of one level more. */
  readonly inside: Emitter;
  /** The texts of the values that hold a formula. */
  readonly value: (formula: Formula) => Expression;
  /** The JSON strings whose text an automaton accepts. */
  readonly quoted: (automaton: Automaton, spelling: JsonSpelling) => Expression;
}
