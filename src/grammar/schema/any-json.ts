import type { Expression, Grammar } from '../grammar.js';
import { createBudget } from '../regular/index.js';
import { bytes, createBuilder, EMPTY, inOrder, alternatives, type GrammarBuilder } from './emit/builder.js';
import { numberText } from './emit/numbers/number-texts.js';
import { anyString } from './emit/strings.js';
import { colonGap, deepestLevel, DEFAULT_INDENT, gap, type Whitespace } from './emit/whitespace.js';
import { ANY_NUMBER } from './shape/number-part.js';

/** Which JSON texts are meant. */
export interface AnyJsonOptions {
  /** The type of the whole text: `object` is JSON mode. Default: any value. */
  readonly root?: 'any' | 'object';
  /** Arrays and objects within one another, at most; without end when left out. At most 64. */
  readonly maxDepth?: number;
  /** Brackets around the text, whose lines are indented by as many levels more. 0 when left out. */
  readonly outerLevels?: number;
}

/** More levels make no difference that a grammar without end would not make. */
const MAX_LEVELS = 64;

/** Facts about a value's position: it is within `depth` brackets, and may contain `levels` of them. */
interface Place {
  readonly builder: GrammarBuilder;
  readonly whitespace: Whitespace;
  /** From some level on the same, as lines have no more indent. */
  readonly depth: number;
  /** Undefined: without end. */
  readonly levels: number | undefined;
}

/** The grammar of any JSON text, in the forms that programs print. */
export function readAnyJson({ root = 'any', maxDepth, outerLevels = 0 }: AnyJsonOptions = {}): Grammar {
  const builder = createBuilder(createBudget());
  const whitespace: Whitespace = { maxIndent: DEFAULT_INDENT, isCompact: false, outerLevels };
  const levels =
    maxDepth === undefined ? undefined : Math.max(root === 'object' ? 1 : 0, Math.min(maxDepth, MAX_LEVELS));
  const place: Place = { builder, whitespace, depth: 0, levels };
  const start = root === 'object' ? object(place) : value(place);
  builder.finish();
  return builder.toGrammar(start);
}

/** Any value. */
function value(place: Place): Expression {
  const { builder, depth, levels } = place;
  return builder.later(`value ${depth} ${levels}`, () => {
    const scalars = [...['null', 'true', 'false'].map(bytes), anyString(builder), numberText(builder, ANY_NUMBER)];
    return levels === 0 ? alternatives(...scalars) : alternatives(...scalars, array(place), object(place));
  });
}

function array(place: Place): Expression {
  return list(place, ['[', ']'], value(inside(place)));
}

function object(place: Place): Expression {
  const { builder, whitespace } = place;
  const member = inOrder(anyString(builder), bytes(':'), colonGap(whitespace), value(inside(place)));
  return list(place, ['{', '}'], member);
}

function inside({ depth, levels, ...place }: Place): Place {
  const next = Math.min(depth + 1, deepestLevel(place.whitespace));
  return { ...place, depth: next, levels: levels === undefined ? undefined : levels - 1 };
}

function list(place: Place, [open, close]: readonly [open: string, close: string], item: Expression): Expression {
  const { builder, whitespace, depth } = place;
  const space = gap(builder, whitespace, inside(place).depth);
  const more: Expression = { kind: 'repeat', of: inOrder(bytes(','), space, item), min: 0, max: undefined };
  const end = gap(builder, whitespace, depth);
  return inOrder(bytes(open), space, alternatives(EMPTY, inOrder(item, more, end)), bytes(close));
}
