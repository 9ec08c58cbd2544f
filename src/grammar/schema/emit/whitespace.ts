import type { Expression } from '../../grammar.js';
import { choice, compilePattern, literal, optional, repeat, sequence, toUtf8 } from '../../regular/index.js';
import { EMPTY, type GrammarBuilder } from './builder.js';

/** How the parts of a JSON text may be set apart. */
export interface Whitespace {
  /** Spaces at the beginning of a line, at most, however deep it is; 0: no line breaks. */
  readonly maxIndent: number;
  /** Whether there may be any at all. */
  readonly isCompact: boolean;
  /** Brackets around the whole text: its own lines are indented by as many levels more. */
  readonly outerLevels: number;
}

/** Space for 16 levels of four. */
export const DEFAULT_INDENT = 64;
/** Spaces of one level of brackets, at most; or one tab. Programs print two or four. */
const INDENT_OF_LEVEL = 4;
/** Levels with rules of their own. Deeper lines may have the largest indent. */
const MAX_LEVELS = 8;

/** The first level whose lines may have the largest indent. */
export function deepestLevel({ maxIndent, isCompact, outerLevels }: Whitespace): number {
  if (isCompact || maxIndent === 0) return 0;
  return Math.max(0, Math.min(MAX_LEVELS, Math.ceil(maxIndent / INDENT_OF_LEVEL)) - outerLevels);
}

/** The gap beside brackets, braces and after commas: nothing, a space, or a line break and the indent of a level. */
export function gap(builder: GrammarBuilder, whitespace: Whitespace, level: number): Expression {
  const { maxIndent, isCompact, outerLevels } = whitespace;
  if (isCompact) return EMPTY;
  const most = Math.ceil(maxIndent / INDENT_OF_LEVEL);
  const tabs = level === deepestLevel(whitespace) ? most : Math.min(level + outerLevels, most);
  return builder.later(`gap ${tabs}`, () => {
    const spaces = Math.min(INDENT_OF_LEVEL * tabs, maxIndent);
    const indent = choice(repeat(literal(' '), 0, spaces), repeat(literal('\t'), 0, tabs));
    const line = sequence(optional(literal('\r')), literal('\n'), indent);
    const pattern = maxIndent === 0 ? optional(literal(' ')) : optional(choice(literal(' '), line));
    return { kind: 'regular', dfa: toUtf8(compilePattern(pattern, builder.budget), builder.budget) };
  });
}

/** The gap after the colon of a property: nothing or a space. */
export function colonGap({ isCompact }: Whitespace): Expression {
  return isCompact ? EMPTY : { kind: 'repeat', of: { kind: 'bytes', bytes: Uint8Array.of(0x20) }, min: 0, max: 1 };
}
