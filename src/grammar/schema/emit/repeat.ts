import type { Expression } from '../../grammar.js';
import { EMPTY, inOrder, alternatives, type GrammarBuilder } from './builder.js';

/** Something that is repeated, in the two forms that blocks are made of. */
export interface Repeated {
  /** Different for different things. */
  readonly key: string;
  /** Just so many of them. */
  readonly exactly: (count: number) => Expression;
  /** So many of them or fewer. */
  readonly upTo: (count: number) => Expression;
  /** As many as one likes. */
  readonly any: () => Expression;
  /** How many one block has: up to this they are written out. */
  readonly blockSize: number;
}

/**
 * `min` to `max` of something. Many of them are made from rules for halves, so that a grammar grows with the logarithm
 * of a bound.
 */
export function repeated(builder: GrammarBuilder, of: Repeated, min: number, max: number | undefined): Expression {
  const least = exactly(builder, of, min);
  return inOrder(least, max === undefined ? of.any() : upTo(builder, of, max - min));
}

function exactly(builder: GrammarBuilder, of: Repeated, count: number): Expression {
  if (count === 0) return EMPTY;
  if (count < of.blockSize) return of.exactly(count);
  const blocks = Math.floor(count / of.blockSize);
  return inOrder(exactBlocks(builder, of, blocks), exactly(builder, of, count - blocks * of.blockSize));
}

function exactBlocks(builder: GrammarBuilder, of: Repeated, count: number): Expression {
  return builder.later(`${of.key} blocks ${count}`, () => {
    if (count === 1) return of.exactly(of.blockSize);
    const half = Math.floor(count / 2);
    return inOrder(exactBlocks(builder, of, half), exactBlocks(builder, of, count - half));
  });
}

function upTo(builder: GrammarBuilder, of: Repeated, count: number): Expression {
  if (count === 0) return EMPTY;
  if (count < of.blockSize) return of.upTo(count);
  // Counts below a multiple of the block size are some blocks and part of one more; the few others begin with all blocks.
  const blocks = Math.floor((count + 1) / of.blockSize);
  const rest = count - blocks * of.blockSize;
  const below = inOrder(blocksUpTo(builder, of, blocks - 1), partOfBlock(builder, of));
  return rest < 0
    ? below
    : alternatives(below, inOrder(exactBlocks(builder, of, blocks), rest === 0 ? EMPTY : of.upTo(rest)));
}

function partOfBlock(builder: GrammarBuilder, of: Repeated): Expression {
  return builder.later(`${of.key} part`, () => of.upTo(of.blockSize - 1));
}

/** Each count in just one way: below the half, or the half and some more. */
function blocksUpTo(builder: GrammarBuilder, of: Repeated, count: number): Expression {
  if (count === 0) return EMPTY;
  return builder.later(`${of.key} blocks to ${count}`, () => {
    const half = Math.ceil((count + 1) / 2);
    const more = inOrder(exactBlocks(builder, of, half), blocksUpTo(builder, of, count - half));
    return alternatives(blocksUpTo(builder, of, half - 1), more);
  });
}

/** Expressions in a row. */
export function repeatedExpression(key: string, of: Expression): Repeated {
  return {
    key,
    blockSize: 32,
    exactly: (count) => ({ kind: 'repeat', of, min: count, max: count }),
    upTo: (count) => ({ kind: 'repeat', of, min: 0, max: count }),
    any: () => ({ kind: 'repeat', of, min: 0, max: undefined }),
  };
}
