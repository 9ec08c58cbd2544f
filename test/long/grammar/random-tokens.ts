import { createConstraint } from '../../../src/grammar/index.js';

type Constraint = ReturnType<typeof createConstraint>;

function isIn(mask: Uint32Array, id: number): boolean {
  return (((mask[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1;
}

/** One of the tokens of a mask, each as likely as the others. */
export function pickToken(mask: Uint32Array, random: () => number): number {
  let count = 0;
  for (let word = 0; word < mask.length; word++) count += countBits(mask[word] as number);
  let place = Math.floor(random() * count);
  for (let word = 0; word < mask.length; word++) {
    let bits = mask[word] as number;
    const own = countBits(bits);
    if (place >= own) {
      place -= own;
      continue;
    }
    for (; place > 0; place--) bits &= bits - 1;
    return 32 * word + 31 - Math.clz32(bits & -bits);
  }
  throw new Error('a mask allows a token');
}

/** Source: Warren, Hacker's Delight, 5-1. */
function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** How long answers of random tokens become. */
export interface Lengths {
  /** From here on one of `closers` is taken where it may come, so that what is open ends; the first before all else. */
  readonly freeTokens: number;
  readonly maxTokens: number;
  readonly closers: readonly number[];
  /** A text that ends what no closer does, by its tokens: it is tried before them, and given up where it does not go on. */
  readonly closingText?: readonly number[];
}

/** An answer of tokens that are allowed, each as likely as the others; undefined where it has not ended by `maxTokens`. */
export function randomAnswer(
  constraint: Constraint,
  tokens: readonly (Uint8Array | undefined)[],
  random: () => number,
  { freeTokens, maxTokens, closers, closingText = [] }: Lengths,
): string | undefined {
  const bytes: Uint8Array[] = [];
  let numClosed = 0;
  /** The next token of the closing text, or a closer. */
  const close = (allowed: Uint32Array): number | undefined => {
    const next = closingText[numClosed];
    const [end = -1] = closers;
    if (end >= 0 && isIn(allowed, end)) return end;
    if (next !== undefined && isIn(allowed, next)) {
      numClosed++;
      return next;
    }
    numClosed = 0;
    return closers.find((each) => isIn(allowed, each));
  };
  while (!constraint.ended && bytes.length < maxTokens) {
    const allowed = constraint.allowed ?? new Uint32Array();
    const closing = bytes.length < freeTokens ? undefined : close(allowed);
    const id = closing ?? pickToken(allowed, random);
    constraint.advance(id);
    bytes.push(tokens[id] ?? new Uint8Array());
  }
  if (!constraint.ended) return undefined;
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(bytes));
}
