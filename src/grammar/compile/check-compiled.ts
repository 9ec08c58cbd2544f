import { invalidValue } from '../../base/index.js';
import { type CompiledGrammar, TAIL_CALL } from './compiled-grammar.js';
import { limits } from './limits.js';

/**
 * Refuses data that is no compiled grammar: its origin is unknown. A valid grammar can be walked without further
 * checks, though it need not have any text. Errors: `invalid_value`.
 */
export function checkCompiled(field: string, grammar: CompiledGrammar): void {
  if (typeof grammar !== 'object' || grammar === null) throw invalidValue(field, grammar, 'a compiled grammar');
  const { hasEmpty, ruleStates, accepting, edgeOffsets, edgeBytes, edgeTargets, callOffsets, calls } = grammar;
  const require = (isRight: boolean, name: keyof CompiledGrammar): void => {
    if (!isRight) throw invalidValue(`${field}.${name}`, grammar[name], 'as compileGrammar makes it');
  };
  require(typeof hasEmpty === 'boolean', 'hasEmpty');
  require(accepting instanceof Uint8Array && accepting.length <= limits.states, 'accepting');
  const numStates = accepting.length;
  require(isOffsets(ruleStates, numStates) && ruleStates.length > 1, 'ruleStates');
  const numRules = ruleStates.length - 1;
  require(isWithin([grammar.start], 0, numRules), 'start');
  require(edgeBytes instanceof Uint8Array && edgeBytes.length % 2 === 0, 'edgeBytes');
  require(isOffsets(edgeOffsets, edgeBytes.length / 2) && edgeOffsets.length === numStates + 1, 'edgeOffsets');
  require(edgeTargets instanceof Int32Array && edgeTargets.length * 2 === edgeBytes.length, 'edgeTargets');
  require(isWithin(edgeTargets, 0, numStates), 'edgeTargets');
  require(hasRanges(edgeOffsets, edgeBytes), 'edgeBytes');
  require(calls instanceof Int32Array && calls.length % 2 === 0, 'calls');
  require(isOffsets(callOffsets, calls.length / 2) && callOffsets.length === numStates + 1, 'callOffsets');
  require(calls.every((value, index) =>
    index % 2 === 0 ? value >= 0 && value < numRules : value >= TAIL_CALL && value < numStates,
  ), 'calls');
  require(ruleStates.every((state, rule) => rule === numRules || leadsOn(grammar, rule, state)), 'ruleStates');
}

/** From 0 to `last`, none less than the one before. */
function isOffsets(offsets: Int32Array, last: number): boolean {
  if (!(offsets instanceof Int32Array) || offsets[0] !== 0 || offsets.at(-1) !== last) return false;
  return offsets.every((offset, index) => index === 0 || offset >= (offsets[index - 1] as number));
}

function isWithin(values: Int32Array | readonly number[], from: number, to: number): boolean {
  return values.every((value: number) => Number.isInteger(value) && value >= from && value < to);
}

/** Whether the edges of each state are ranges in order. */
function hasRanges(offsets: Int32Array, bytes: Uint8Array): boolean {
  for (let state = 0; state + 1 < offsets.length; state++) {
    let next = 0;
    for (let edge = offsets[state] as number; edge < (offsets[state + 1] as number); edge++) {
      const first = bytes[2 * edge] as number;
      const last = bytes[2 * edge + 1] as number;
      if (first < next || last < first) return false;
      next = last + 1;
    }
  }
  return true;
}

/** Whether the rule has a state to begin in that is not its end, and begins with later rules only: else a walk would not end. */
function leadsOn({ ruleStates, accepting, callOffsets, calls }: CompiledGrammar, rule: number, start: number): boolean {
  if (start >= (ruleStates[rule + 1] as number) || accepting[start] === 1) return false;
  for (let call = callOffsets[start] as number; call < (callOffsets[start + 1] as number); call++) {
    if ((calls[2 * call] as number) <= rule) return false;
  }
  return true;
}
