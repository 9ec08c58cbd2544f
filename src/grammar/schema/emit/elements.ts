import type { Expression } from '../../grammar.js';
import {
  ANY_CHAR,
  compilePattern,
  chars,
  complement,
  intersect,
  repeat,
  sequence,
  subtract,
  toUtf8,
  fromTexts,
  type Automaton,
  type WorkBudget,
} from '../../regular/index.js';
import { unsupportedKeyword } from '../document/unsupported.js';
import type { Formula } from '../shape/formula.js';
import { blameOf } from './create-emitter.js';
import { bytes, EMPTY, inOrder, alternatives } from './builder.js';
import { elementValue, type TextType } from './element-values.js';
import type { Emitter } from './emitter.js';
import type { ToMember } from './members.js';
import { memberLists } from './objects.js';

/** How the properties of an object are written as elements: a name and a value each. */
export interface ElementForm {
  /** Before the name. */
  readonly open: string;
  /** Between name and value: one of these. */
  readonly middle: readonly string[];
  /** After the value: one of these. */
  readonly close: readonly string[];
  /** The tag that ends a value: no value contains it. Its first character occurs nowhere else in it. */
  readonly closingTag: string;
  /** The types of a property's value besides string. It is the same for all names that are not in `names`. */
  readonly typesOf: (name: string) => ReadonlySet<TextType>;
  /** Names that have types of their own. */
  readonly names: readonly string[];
}

/** Characters of a name that the schema does not have, at most. */
const MAX_NAME_LENGTH = 64;
/** Characters that no name has: they end tags, or begin them. */
const NO_NAME = /[<>\n\r]|^\s|\s$|^$/;

/** The objects that hold a formula, as elements in a row. Errors: `unsupported_schema`, `grammar_too_large`. */
export function emitElements(emitter: Emitter, formula: Formula, form: ElementForm): Expression {
  const { reader, mode, builder } = emitter;
  const names = otherNames(form.names, builder.budget);
  const open = bytes(form.open);
  const middle = alternatives(...form.middle.map(bytes));
  const close = alternatives(...form.close.map(bytes));
  const toMember: ToMember = (name, value) => {
    const isOne = typeof name === 'string';
    if (isOne && NO_NAME.test(name)) throw unwritable(formula, name);
    const text = isOne ? bytes(name) : regular(intersect(name, names, builder.budget), builder.budget);
    const types = form.typesOf(isOne ? name : '');
    return inOrder(open, text, middle, elementValue(emitter, value, types), close);
  };
  const parts = reader.shapeOf(formula, mode).objects;
  const memberForm = { toMember, comma: EMPTY, gap: EMPTY };
  return alternatives(...parts.flatMap((part) => memberLists(emitter, part, blameOf(formula), memberForm)));
}

/** Names that elements can have, without those that have types of their own. */
function otherNames(names: readonly string[], budget: WorkBudget): Automaton {
  const plain = subtract(
    compilePattern(ANY_CHAR, budget),
    compilePattern(chars('\u0000 ', '<', '>', '\u007f\u00a0'), budget),
    budget,
  );
  const automaton: Automaton = compilePattern(
    repeat(sequence({ kind: 'automaton', automaton: plain }), 1, MAX_NAME_LENGTH),
    budget,
  );
  return intersect(automaton, complement(fromTexts(names, budget), budget), budget);
}

function regular(automaton: Automaton, budget: WorkBudget): Expression {
  return { kind: 'regular', dfa: toUtf8(automaton, budget) };
}

function unwritable(formula: Formula, name: string): Error {
  const { pointer } = blameOf(formula);
  const reason = `this model writes arguments as elements of XML, and their names have no < or > and no line break; ${JSON.stringify(name)} has`;
  return unsupportedKeyword({ pointer, keyword: 'properties', reason });
}
