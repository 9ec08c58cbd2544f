import type { Expression } from '../../grammar.js';
import type { Automaton, JsonSpelling } from '../../regular/index.js';
import type { Mode, Reader } from '../expand/reader.js';
import type { Formula } from '../shape/formula.js';
import type { GrammarBuilder } from './builder.js';
import type { AvoidedText } from './avoided-text.js';
import type { Whitespace } from './whitespace.js';

/** Makes rules from formulas. */
export interface Emitter {
  readonly reader: Reader;
  readonly builder: GrammarBuilder;
  readonly mode: Mode;
  readonly whitespace: Whitespace;
  /** Properties come in any order, where they are few. */
  readonly isAnyOrder: boolean;
  /** A text that no string and no name may contain. */
  readonly avoided: AvoidedText | undefined;
  /** Whitespace before the bracket that closes a value. */
  readonly gap: Expression;
  /** The emitter within brackets: its lines have the indent of one more level. */
  readonly inside: Emitter;
  /** The texts of the values that hold a formula. */
  readonly value: (formula: Formula) => Expression;
  /** The JSON strings whose text an automaton accepts. */
  readonly quoted: (automaton: Automaton, spelling: JsonSpelling) => Expression;
}
