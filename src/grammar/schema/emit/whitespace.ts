import type { Expression } from '../../grammar.js';
import { choice, compilePattern, literal, optional, repeat, sequence, toUtf8 } from '../../regular/index.js';
import { EMPTY, type GrammarBuilder } from './builder.js';

/** How the parts of a JSON text may be set apart. */
export interface Whitespace {
  /** Spaces or tabs at the beginning of a line, at most; 0: no line breaks. */
  readonly maxIndent: number;
  /** Whether there may be any at all. */
  readonly isCompact: boolean;
}

/** Space for 16 levels of four, or 32 of two. */
export const DEFAULT_INDENT = 64;

/** Beside brackets, braces and behind commas: nothing, a space, or a line break and an indent. */
export function gap(builder: GrammarBuilder, { maxIndent, isCompact }: Whitespace): Expression {
  if (isCompact) return EMPTY;
  return builder.later('gap', () => {
    const indent = choice(repeat(literal(' '), 0, maxIndent), repeat(literal('\t'), 1, Math.ceil(maxIndent / 4)));
    const line = sequence(optional(literal('\r')), literal('\n'), indent);
    const pattern = maxIndent === 0 ? optional(literal(' ')) : optional(choice(literal(' '), line));
    return { kind: 'regular', dfa: toUtf8(compilePattern(pattern, builder.budget), builder.budget) };
  });
}

/** Behind the colon of a property: nothing or a space. */
export function colonGap({ isCompact }: Whitespace): Expression {
  return isCompact ? EMPTY : { kind: 'repeat', of: { kind: 'bytes', bytes: Uint8Array.of(0x20) }, min: 0, max: 1 };
}
