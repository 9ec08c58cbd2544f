import type { Automaton } from './automaton.js';
import { type CompiledGrammar, TAIL_CALL } from './compiled-grammar.js';
import { findComponents } from './components.js';
import { leftCalls } from './left-recursion.js';
import { limits, grammarTooLarge } from './limits.js';

/** Lays out the rules that `start` leads to. No rule begins with itself. Errors: `grammar_too_large`. */
export function assemble(
  automata: readonly (Automaton | undefined)[],
  start: number,
): Omit<CompiledGrammar, 'hasEmpty'> {
  const order = inOrder(automata, start);
  const placeOf = new Map(order.map((rule, place) => [rule, place]));
  const rules = order.map((rule) => automata[rule] ?? []);
  const ruleStates = runningSum(rules.map(({ length }) => length));
  const states = rules.flat();
  const edgeOffsets = runningSum(states.map(({ edges }) => edges.length / 3));
  const callOffsets = runningSum(states.map(({ calls }) => calls.length / 2));
  const edgeBytes = new Uint8Array(2 * (edgeOffsets[states.length] as number));
  const edgeTargets = new Int32Array(edgeOffsets[states.length] as number);
  const callTable = new Int32Array(2 * (callOffsets[states.length] as number));
  let edge = 0;
  let call = 0;
  rules.forEach((automaton, place) => {
    const first = ruleStates[place] as number;
    for (const { edges, calls } of automaton) {
      for (let i = 0; i < edges.length; i += 3, edge++) {
        edgeBytes[2 * edge] = edges[i] as number;
        edgeBytes[2 * edge + 1] = edges[i + 1] as number;
        edgeTargets[edge] = first + (edges[i + 2] as number);
      }
      for (let i = 0; i < calls.length; i += 2, call++) {
        const target = calls[i + 1] as number;
        callTable[2 * call] = placeOf.get(calls[i] as number) as number;
        callTable[2 * call + 1] = isOnlyEnd(automaton, target) ? TAIL_CALL : first + target;
      }
    }
  });
  const accepting = Uint8Array.from(states, (state) => (state.accepting ? 1 : 0));
  const first = placeOf.get(start) ?? 0;
  return { start: first, ruleStates, accepting, edgeOffsets, edgeBytes, edgeTargets, callOffsets, calls: callTable };
}

function isOnlyEnd(automaton: Automaton, state: number): boolean {
  const found = automaton[state];
  return found?.accepting === true && found.edges.length === 0 && found.calls.length === 0;
}

/** The rules that `start` leads to, itself included: each before those that it begins with. */
function inOrder(automata: readonly (Automaton | undefined)[], start: number): number[] {
  const found = new Set([start]);
  for (const rule of found) {
    for (const { calls } of automata[rule] ?? []) {
      for (let i = 0; i < calls.length; i += 2) found.add(calls[i] as number);
    }
  }
  const sorted = findComponents(automata.map(leftCalls)).flat().toReversed();
  const order = sorted.filter((rule) => found.has(rule));
  checkDepth(automata, order);
  return order;
}

function checkDepth(automata: readonly (Automaton | undefined)[], order: readonly number[]): void {
  const depthOf = new Map<number, number>();
  for (const rule of order) {
    const depth = depthOf.get(rule) ?? 0;
    if (depth > limits.leftCalls) throw grammarTooLarge('leftCalls');
    for (const callee of leftCalls(automata[rule])) depthOf.set(callee, Math.max(depthOf.get(callee) ?? 0, depth + 1));
  }
}

function runningSum(counts: readonly number[]): Int32Array {
  const sums = new Int32Array(counts.length + 1);
  counts.forEach((count, index) => (sums[index + 1] = (sums[index] as number) + count));
  return sums;
}
