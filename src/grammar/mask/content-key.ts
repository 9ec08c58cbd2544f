import type { CompiledGrammar } from '../compile/index.js';

/**
 * A key of all that a state may read until its rule ends: equal for equal parts of any grammars, and for no others. States
 * are written by the order in which they are met.
 */
export function contentKey(grammar: CompiledGrammar, state: number): string {
  const { ruleStates, accepting, edgeOffsets, edgeBytes, edgeTargets, callOffsets, calls } = grammar;
  const places = new Map<number, number>([[state, 0]]);
  const placeOf = (target: number): number => {
    const known = places.get(target) ?? places.size;
    places.set(target, known);
    return known;
  };
  const words: number[] = [];
  // The map grows while it is walked.
  for (const [from] of places) {
    const numEdges = (edgeOffsets[from + 1] as number) - (edgeOffsets[from] as number);
    const numCalls = (callOffsets[from + 1] as number) - (callOffsets[from] as number);
    words.push(accepting[from] as number, numEdges, numCalls);
    for (let edge = edgeOffsets[from] as number; edge < (edgeOffsets[from + 1] as number); edge++) {
      words.push(edgeBytes[2 * edge] as number, edgeBytes[2 * edge + 1] as number);
      words.push(placeOf(edgeTargets[edge] as number));
    }
    for (let call = callOffsets[from] as number; call < (callOffsets[from + 1] as number); call++) {
      const after = calls[2 * call + 1] as number;
      words.push(placeOf(ruleStates[calls[2 * call] as number] as number), after < 0 ? -1 : placeOf(after));
    }
  }
  return words.join();
}
