import { randomAt, randomKey } from '../../src/base/index.js';
import type { Dfa, Expression, Grammar } from '../../src/grammar/grammar.js';

/** Random numbers from 0 to below 1. */
export function createRandom(seed: number): () => number {
  const key = randomKey(seed);
  let counter = 0;
  return () => randomAt(key, counter++);
}

/** Steps of one text after which only the shortest ways are taken. */
const MAX_FREE_STEPS = 60;

/** Makes random texts of a grammar; all of its rules have texts. */
export function createSampler({ rules, start }: Grammar): (random: () => number) => string {
  const costs = shortestTexts(rules);
  const distances = new Map<Dfa, Int32Array>();
  return (random) => {
    const bytes: number[] = [];
    let steps = 0;
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const add = (expression: Expression): void => {
      const isTired = ++steps > MAX_FREE_STEPS;
      switch (expression.kind) {
        case 'bytes':
          bytes.push(...expression.bytes);
          return;
        case 'regular': {
          const known = distances.get(expression.dfa) ?? distancesToEnd(expression.dfa);
          distances.set(expression.dfa, known);
          bytes.push(...sampleDfa(expression.dfa, known, isTired ? 0 : Math.floor(random() * 12), random));
          return;
        }
        case 'sequence':
          for (const part of expression.parts) add(part);
          return;
        case 'choice': {
          const cheapest = Math.min(...expression.options.map((option) => costOf(option, costs)));
          const options = isTired
            ? expression.options.filter((option) => costOf(option, costs) === cheapest)
            : expression.options;
          add(pick(options));
          return;
        }
        case 'repeat': {
          const most = Math.min(expression.max ?? Infinity, expression.min + (isTired ? 0 : Math.floor(random() * 4)));
          for (let i = 0; i < most; i++) add(expression.of);
          return;
        }
        case 'rule':
          add(rules[expression.rule] as Expression);
      }
    };
    add({ kind: 'rule', rule: start });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  };
}

/** [rules]: how much a shortest derivation takes: bytes, and one for each rule. */
function shortestTexts(rules: readonly Expression[]): Float64Array {
  const costs = new Float64Array(rules.length).fill(Infinity);
  for (let changed = true; changed;) {
    changed = false;
    rules.forEach((rule, i) => {
      const cost = 1 + costOf(rule, costs);
      if (cost >= (costs[i] as number)) return;
      costs[i] = cost;
      changed = true;
    });
  }
  return costs;
}

function costOf(expression: Expression, costs: Float64Array): number {
  switch (expression.kind) {
    case 'bytes':
      return expression.bytes.length;
    case 'regular':
      return 1;
    case 'sequence':
      return expression.parts.reduce((sum, part) => sum + costOf(part, costs), 0);
    case 'choice':
      return Math.min(Infinity, ...expression.options.map((option) => costOf(option, costs)));
    case 'repeat':
      return expression.min === 0 ? 0 : expression.min * costOf(expression.of, costs);
    case 'rule':
      return costs[expression.rule] as number;
  }
}

/** [states]: bytes to the next state where a text may end. */
function distancesToEnd({ accepting, transitions, numClasses }: Dfa): Int32Array {
  const distances = Int32Array.from(accepting, (isEnd) => (isEnd === 1 ? 0 : 1 << 30));
  for (let changed = true; changed;) {
    changed = false;
    transitions.forEach((next, edge) => {
      const state = Math.floor(edge / numClasses);
      if (next < 0 || (distances[next] as number) + 1 >= (distances[state] as number)) return;
      distances[state] = (distances[next] as number) + 1;
      changed = true;
    });
  }
  return distances;
}

function sampleDfa(dfa: Dfa, distances: Int32Array, wanted: number, random: () => number): number[] {
  const { classOf, numClasses, transitions } = dfa;
  const bytes: number[] = [];
  for (let state = 0; ;) {
    const isEnough = bytes.length >= wanted;
    if (isEnough && distances[state] === 0) return bytes;
    const options: [byte: number, next: number][] = [];
    for (let byte = 0; byte < 256; byte++) {
      const next = transitions[state * numClasses + (classOf[byte] as number)] as number;
      if (next >= 0 && (!isEnough || (distances[next] as number) < (distances[state] as number)))
        options.push([byte, next]);
    }
    const chosen = options[Math.floor(random() * options.length)];
    if (chosen === undefined) return bytes;
    bytes.push(chosen[0]);
    state = chosen[1];
  }
}
