import { present } from '../../../../base/index.js';
import { keyHeadOf, UNIT_EPS, type DeltaRuleOp } from '../../../ops/index.js';
import { normalize, type RunOp } from '../machine.js';

export const deltaRule: RunOp<DeltaRuleOp> = (op, machine, batch) => {
  const { state, keyHeads, valueHeads, keyDim, valueDim } = op;
  const [logDecay, timeBias, norm] = [op.logDecay, op.timeBias, op.norm].map((name) => machine.vector(name));
  for (let row = 0; row < batch.rows; row++) {
    const slot = present(batch.states[batch.sequences[row] as number], 'a sequence has a state');
    const [heads, rates] = [machine.row('convolved', row), machine.row('rates', row)];
    const [gates, out] = [machine.row('gate', row), machine.row('recurrent', row)];
    for (let head = 0; head < valueHeads; head++) {
      const keyHead = keyHeadOf(op, head);
      const query = toUnit(heads.subarray(keyHead * keyDim, (keyHead + 1) * keyDim));
      const key = toUnit(heads.subarray((keyHeads + keyHead) * keyDim, (keyHeads + keyHead + 1) * keyDim));
      const value = heads.subarray(2 * keyHeads * keyDim + head * valueDim).subarray(0, valueDim);
      const learned = 1 / (1 + Math.exp(-(rates[head] as number)));
      const time = softplus((rates[valueHeads + head] as number) + (timeBias?.[head] as number));
      const decay = Math.exp(-Math.exp(logDecay?.[head] as number) * time);
      const matrix = machine.state(state, slot).subarray(head * keyDim * valueDim, (head + 1) * keyDim * valueDim);
      const result = step(matrix, { query, key, value, decay, learned });
      const normed = normalize(result, norm ?? new Float32Array(0), machine.graph.rmsNormEps);
      for (let i = 0; i < valueDim; i++) {
        const gate = gates[head * valueDim + i] as number;
        out[head * valueDim + i] = ((normed[i] as number) * gate) / (1 + Math.exp(-gate));
      }
    }
    const checkpoint = batch.checkpoints[row] as number;
    if (checkpoint >= 0) machine.state(state, checkpoint).set(machine.state(state, slot));
  }
};

/** One token of one head: changes the state [keyDim, valueDim], and returns what the query reads of it. */
function step(
  matrix: Float32Array,
  token: {
    readonly query: Float64Array;
    readonly key: Float64Array;
    readonly value: Float32Array;
    readonly decay: number;
    readonly learned: number;
  },
): Float64Array {
  const { query, key, value, decay, learned } = token;
  const width = value.length;
  const read = (by: Float64Array, i: number): number => {
    let sum = 0;
    for (let row = 0; row < by.length; row++) sum += (by[row] as number) * (matrix[row * width + i] as number);
    return sum;
  };
  for (let at = 0; at < matrix.length; at++) matrix[at] = decay * (matrix[at] as number);
  const changes = Float64Array.from(value, (wanted, i) => learned * (wanted - read(key, i)));
  for (let at = 0; at < matrix.length; at++) {
    const row = Math.floor(at / width);
    matrix[at] = (matrix[at] as number) + (key[row] as number) * (changes[at % width] as number);
  }
  return Float64Array.from(value, (_, i) => read(query, i) / Math.sqrt(query.length));
}

/** The vector of length 1 in the same direction. */
function toUnit(values: Float32Array): Float64Array {
  const squares = values.reduce((sum, value) => sum + value * value, 0);
  return Float64Array.from(values, (value) => value / Math.sqrt(squares + UNIT_EPS));
}

/** ln(1 + e^x). */
function softplus(x: number): number {
  return x > 20 ? x : Math.log1p(Math.exp(x));
}
