import type { Expression, Grammar } from '../grammar.js';
import { createBudget } from '../regular/index.js';
import { bytes, createBuilder, EMPTY, inOrder, oneOf, type GrammarBuilder } from './emit/builder.js';
import { numberText } from './emit/number-texts.js';
import { anyString } from './emit/strings.js';
import { colonGap, DEFAULT_INDENT, gap, type Whitespace } from './emit/whitespace.js';
import { ANY_NUMBER } from './shape/number-part.js';

/** Which JSON texts are meant. */
export interface AnyJsonOptions {
  /** What the whole text is: `object` is JSON mode. Any value when left out. */
  readonly root?: 'any' | 'object';
  /** Arrays and objects within one another, at most; without end when left out. At most 64. */
  readonly maxDepth?: number;
}

/** More levels make no difference that a grammar without end would not make. */
const MAX_LEVELS = 64;

/** The grammar of any JSON text, in the forms that programs print. */
export function readAnyJson({ root = 'any', maxDepth }: AnyJsonOptions = {}): Grammar {
  const builder = createBuilder(createBudget());
  const whitespace: Whitespace = { maxIndent: DEFAULT_INDENT, isCompact: false };
  const levels =
    maxDepth === undefined ? undefined : Math.max(root === 'object' ? 1 : 0, Math.min(maxDepth, MAX_LEVELS));
  const start = root === 'object' ? object(builder, whitespace, levels) : value(builder, whitespace, levels);
  builder.finish();
  return builder.toGrammar(start);
}

/** Any value with up to `levels` of arrays and objects within one another. */
function value(builder: GrammarBuilder, whitespace: Whitespace, levels: number | undefined): Expression {
  return builder.later(`value ${levels}`, () => {
    const scalars = [...['null', 'true', 'false'].map(bytes), anyString(builder), numberText(builder, ANY_NUMBER)];
    if (levels === 0) return oneOf(...scalars);
    return oneOf(...scalars, array(builder, whitespace, levels), object(builder, whitespace, levels));
  });
}

function array(builder: GrammarBuilder, whitespace: Whitespace, levels: number | undefined): Expression {
  return list(builder, whitespace, ['[', ']'], inner(builder, whitespace, levels));
}

function object(builder: GrammarBuilder, whitespace: Whitespace, levels: number | undefined): Expression {
  const member = inOrder(anyString(builder), bytes(':'), colonGap(whitespace), inner(builder, whitespace, levels));
  return list(builder, whitespace, ['{', '}'], member);
}

function inner(builder: GrammarBuilder, whitespace: Whitespace, levels: number | undefined): Expression {
  return value(builder, whitespace, levels === undefined ? undefined : levels - 1);
}

function list(
  builder: GrammarBuilder,
  whitespace: Whitespace,
  [open, close]: readonly [open: string, close: string],
  item: Expression,
): Expression {
  const space = gap(builder, whitespace);
  const more: Expression = { kind: 'repeat', of: inOrder(bytes(','), space, item), min: 0, max: undefined };
  return inOrder(bytes(open), space, oneOf(EMPTY, inOrder(item, more, space)), bytes(close));
}
