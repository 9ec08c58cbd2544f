import { present } from '../../../../base/index.js';
import { keyHeadOf, UNIT_EPS, type DeltaRuleOp } from '../../../ops/index.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** A gated delta rule, shared by value heads: each goes through the rows of a sequence one by one, with its state in place. */
export function deltaRule(op: DeltaRuleOp, segment: number, view: ThreadView): BoundOp {
  const { kernels, memory, at, scratch } = view.segment(segment);
  const { strides } = view.plan;
  const { keyHeads, valueHeads, keyDim, valueDim } = op;
  const floats = new Float32Array(memory);
  const ints = new Int32Array(memory);
  const [logDecay, timeBias, norm] = [op.logDecay, op.timeBias, op.norm].map(
    (name) => view.address(segment, name) / 4,
  ) as [number, number, number];
  const headFloats = keyDim * valueDim;
  const states = present(at.states[op.state], 'a state of the graph') / 4;
  const stateOf = (slot: number, head: number): number => states + (slot * valueHeads + head) * headFloats;
  const sequenceOf = (row: number): number => ints[at.sequences / 4 + row] as number;
  const places = {
    heads: { at: at.convolved / 4, stride: strides.convolved / 4 },
    rates: { at: at.rates / 4, stride: strides.rates / 4 },
    gate: { at: at.gate / 4, stride: strides.gate / 4 },
    out: { at: at.recurrent / 4, stride: strides.recurrent / 4 },
  };
  const placeOf = (buffer: keyof typeof places, row: number): number => places[buffer].at + row * places[buffer].stride;
  // Of one head and row.
  const query = scratch.recurrence / 4;
  const key = query + keyDim;
  const change = key + keyDim;

  /** Writes the vector of length `length` in the direction of that at place `from`. */
  const toUnit = (from: number, to: number, length: number): void => {
    let squares = 0;
    for (let i = 0; i < keyDim; i++) squares += (floats[from + i] as number) ** 2;
    const scale = length / Math.sqrt(squares + UNIT_EPS);
    for (let i = 0; i < keyDim; i++) floats[to + i] = (floats[from + i] as number) * scale;
  };

  /** norm(result) · silu(gate), in place. */
  const finish = (gate: number, out: number): void => {
    let squares = 0;
    for (let j = 0; j < valueDim; j++) squares += (floats[out + j] as number) ** 2;
    const scale = 1 / Math.sqrt(squares / valueDim + view.graph.rmsNormEps);
    for (let j = 0; j < valueDim; j++) {
      const factor = floats[gate + j] as number;
      const normed = (floats[out + j] as number) * scale * (floats[norm + j] as number);
      floats[out + j] = (normed * factor) / (1 + Math.exp(-factor));
    }
  };

  const runRow = (head: number, row: number, state: number): void => {
    const [heads, rates] = [placeOf('heads', row), placeOf('rates', row)];
    const keyHead = keyHeadOf(op, head);
    toUnit(heads + keyHead * keyDim, query, keyDim ** -0.5);
    toUnit(heads + (keyHeads + keyHead) * keyDim, key, 1);
    const learned = 1 / (1 + Math.exp(-(floats[rates + head] as number)));
    const time = softplus((floats[rates + valueHeads + head] as number) + (floats[timeBias + head] as number));
    const decay = Math.exp(-Math.exp(floats[logDecay + head] as number) * time);
    const value = heads + 2 * keyHeads * keyDim + head * valueDim;
    const out = placeOf('out', row) + head * valueDim;
    kernels.deltaStep(out * 4, state * 4, query * 4, key * 4, value * 4, change * 4, keyDim, valueDim, decay, learned);
    finish(placeOf('gate', row) + head * valueDim, out);
  };

  return ({ rows }) => {
    const { start, end } = view.share(valueHeads);
    for (let head = start; head < end; head++) {
      for (let row = 0; row < rows; row++) {
        const slot = ints[at.sequenceStates / 4 + sequenceOf(row)] as number;
        const state = stateOf(slot, head);
        runRow(head, row, state);
        const checkpoint = ints[at.checkpoints / 4 + row] as number;
        if (checkpoint >= 0) floats.copyWithin(stateOf(checkpoint, head), state, state + headFloats);
      }
    }
  };
}

/** ln(1 + e^x). */
function softplus(x: number): number {
  return x > 20 ? x : Math.log1p(Math.exp(x));
}
