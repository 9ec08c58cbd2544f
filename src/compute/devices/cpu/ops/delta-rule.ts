import { present } from '../../../../base/index.js';
import { keyHeadOf, UNIT_EPS, type DeltaRuleOp } from '../../../ops/index.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';

/** A gated delta rule, shared by value heads: each goes through the rows of a sequence one by one, with its state in place. */
export function deltaRule(op: DeltaRuleOp, segment: number, view: ThreadView): BoundOp {
  const { memory, at } = view.segment(segment);
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
  const query = new Float64Array(keyDim);
  const key = new Float64Array(keyDim);
  const change = new Float64Array(valueDim);
  const result = new Float64Array(valueDim);

  /** One token: state ← decay · state + key ⊗ change, where the change is learned · (value − what the key reads). */
  const advance = (state: number, value: number, decay: number, learned: number): void => {
    change.fill(0);
    for (let i = 0; i < keyDim; i++) {
      const factor = key[i] as number;
      const from = state + i * valueDim;
      for (let j = 0; j < valueDim; j++) change[j] = (change[j] as number) + factor * (floats[from + j] as number);
    }
    for (let j = 0; j < valueDim; j++) {
      change[j] = learned * ((floats[value + j] as number) - decay * (change[j] as number));
    }
    result.fill(0);
    for (let i = 0; i < keyDim; i++) {
      const [factor, wanted] = [key[i] as number, query[i] as number];
      const from = state + i * valueDim;
      for (let j = 0; j < valueDim; j++) {
        const next = decay * (floats[from + j] as number) + factor * (change[j] as number);
        floats[from + j] = next;
        result[j] = (result[j] as number) + wanted * next;
      }
    }
  };

  /** norm(result) · silu(gate). */
  const finish = (gate: number, out: number): void => {
    let squares = 0;
    for (let j = 0; j < valueDim; j++) squares += (result[j] as number) ** 2;
    const scale = 1 / Math.sqrt(squares / valueDim + view.graph.rmsNormEps);
    for (let j = 0; j < valueDim; j++) {
      const factor = floats[gate + j] as number;
      const normed = (result[j] as number) * scale * (floats[norm + j] as number);
      floats[out + j] = (normed * factor) / (1 + Math.exp(-factor));
    }
  };

  const runRow = (head: number, row: number, state: number): void => {
    const [heads, rates] = [placeOf('heads', row), placeOf('rates', row)];
    const keyHead = keyHeadOf(op, head);
    toUnit(query, floats, heads + keyHead * keyDim, keyDim ** -0.5);
    toUnit(key, floats, heads + (keyHeads + keyHead) * keyDim, 1);
    const learned = 1 / (1 + Math.exp(-(floats[rates + head] as number)));
    const time = softplus((floats[rates + valueHeads + head] as number) + (floats[timeBias + head] as number));
    const decay = Math.exp(-Math.exp(floats[logDecay + head] as number) * time);
    advance(state, heads + 2 * keyHeads * keyDim + head * valueDim, decay, learned);
    finish(placeOf('gate', row) + head * valueDim, placeOf('out', row) + head * valueDim);
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

/** The vector of length `length` in the direction of the values from place `from` on. */
function toUnit(out: Float64Array, values: Float32Array, from: number, length: number): void {
  let squares = 0;
  for (let i = 0; i < out.length; i++) squares += (values[from + i] as number) ** 2;
  const scale = length / Math.sqrt(squares + UNIT_EPS);
  for (let i = 0; i < out.length; i++) out[i] = (values[from + i] as number) * scale;
}

/** ln(1 + e^x). */
function softplus(x: number): number {
  return x > 20 ? x : Math.log1p(Math.exp(x));
}
