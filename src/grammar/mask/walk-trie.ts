import { DEAD, type ParseTable, type WorkMeter } from '../run/index.js';
import { allowToken, type TokenMask } from '../token-mask.js';
import type { Trie } from '../vocabulary/index.js';

/** Work that pauses when its meter says so, so that its thread can do something else. */
export type Paused<T> = Generator<void, T, undefined>;

/** Does it all at once. */
export function finish<T>(work: Paused<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Allows the tokens below `nodes` of `trie` whose bytes go on from a parse state. */
export function* allowBelow(
  table: ParseTable,
  trie: Trie,
  nodes: ArrayLike<number>,
  state: number,
  mask: TokenMask,
  meter: WorkMeter,
): Paused<void> {
  const { nodeBytes, nodeDepths, nodeEnds, firstTokens, tokens } = trie;
  const { classOf } = table.reader;
  /** Of each depth below a node: the parse state there. */
  const states = [state];
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i] as number;
    const end = nodeEnds[node] as number;
    const base = nodeDepths[node] as number;
    for (let next = node + 1; next < end;) {
      if (--meter.left <= meter.pauseAt) yield meter.take(0);
      const depth = (nodeDepths[next] as number) - base;
      const reached = table.step(states[depth - 1] as number, classOf[nodeBytes[next] as number] as number);
      if (reached === DEAD) {
        next = nodeEnds[next] as number;
        continue;
      }
      states[depth] = reached;
      const last = firstTokens[next + 1] as number;
      for (let place = firstTokens[next] as number; place < last; place++) allowToken(mask, tokens[place] as number);
      next++;
    }
  }
}

/** The first `count` tokens of a trie that go on from a parse state; fewer where there are no more. */
export function firstAllowed(table: ParseTable, trie: Trie, state: number, count: number): number[] {
  const { nodeBytes, nodeDepths, nodeEnds, firstTokens } = trie;
  const states = [state];
  const found: number[] = [];
  for (let node = 1; node < nodeEnds.length && found.length < count;) {
    const depth = nodeDepths[node] as number;
    const before = states[depth - 1] as number;
    states[depth] = table.walk(before, nodeBytes, node, node + 1);
    if (states[depth] === DEAD) node = nodeEnds[node] as number;
    else found.push(...trie.tokens.subarray(firstTokens[node], firstTokens[++node]));
  }
  return found.slice(0, count);
}

/** The results of a trie's tokens from a parse state on. */
export interface Reached {
  /** Tokens that go on, in the order of the trie. */
  readonly tokens: number[];
  /** Nodes with others below where the text may end. */
  readonly exits: number[];
}

/** Parts of a trie that a walk leaves out. */
export interface Skipped {
  /** [nodes]: characters of the longest token of each part. */
  readonly longest: Uint8Array;
  /** Parts without a longer one are left out; 0: none. */
  readonly depth: number;
}

/**
 * Walks `trie` from a parse state; undefined where there are more than `maxExits` exits. Without `maxExits` exits are
 * not collected.
 */
export function* walkTrie(
  table: ParseTable,
  trie: Trie,
  state: number,
  { longest, depth: skippedDepth }: Skipped,
  maxExits: number | undefined,
  meter: WorkMeter,
): Paused<Reached | undefined> {
  const { nodeBytes, nodeDepths, nodeEnds, firstTokens, tokens } = trie;
  const { classOf } = table.reader;
  const end = nodeEnds[0] as number;
  const states = [state];
  const reached: Reached = { tokens: [], exits: [] };
  for (let node = 1; node < end;) {
    if (--meter.left <= meter.pauseAt) yield meter.take(0);
    const depth = nodeDepths[node] as number;
    if ((longest[node] as number) <= skippedDepth) {
      node = nodeEnds[node] as number;
      continue;
    }
    const next = table.step(states[depth - 1] as number, classOf[nodeBytes[node] as number] as number);
    if (next === DEAD) {
      node = nodeEnds[node] as number;
      continue;
    }
    states[depth] = next;
    const last = firstTokens[node + 1] as number;
    for (let i = firstTokens[node] as number; i < last; i++) reached.tokens.push(tokens[i] as number);
    const isExit = maxExits !== undefined && nodeEnds[node] !== node + 1 && table.canEnd(next);
    if (isExit && reached.exits.push(node) > maxExits) return undefined;
    node++;
  }
  return reached;
}
