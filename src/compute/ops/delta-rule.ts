import type { OpNeeds } from './op.js';

/**
 * A recurrence by the gated delta rule, of each value head alone. Its state S is a matrix [keyDim, valueDim]. `convolved` has
 * q of all key heads, then k, then v of all value heads; q and k get a length of 1. `rates` has b of all heads, then a.
 *
 *   S ← e^(−e^logDecay · softplus(a + timeBias)) · S
 *   S ← S + k ⊗ sigmoid(b) · (v − Sᵀk)
 *   recurrent = norm(Sᵀq / √keyDim) · silu(gate)
 *
 * A row follows the row before it of its sequence, one by one, so computing a prefix again gives the same bits.
 * Source: Gated Delta Networks (arXiv 2412.06464), as in transformers' `torch_recurrent_gated_delta_rule`.
 */
export interface DeltaRuleOp {
  readonly op: 'deltaRule';
  /** Name of its state. */
  readonly state: string;
  readonly keyHeads: number;
  readonly valueHeads: number;
  readonly keyDim: number;
  readonly valueDim: number;
  /** Which value heads share a key head: adjacent ones, or those that are `keyHeads` apart. */
  readonly sharing: 'adjacent' | 'apart';
  /** Vectors, f32 [valueHeads]. */
  readonly logDecay: string;
  readonly timeBias: string;
  /** The weight of the RMS norm over a head, f32 [valueDim]. */
  readonly norm: string;
}

/** A gated delta rule. It keeps S of each value head, f32 [valueHeads, keyDim, valueDim]. */
export function deltaRule(op: DeltaRuleOp): OpNeeds {
  return {
    tensors: [op.logDecay, op.timeBias, op.norm],
    matrices: [],
    reads: ['convolved', 'rates', 'gate'],
    writes: ['recurrent'],
    keeps: [{ kind: 'fixed', name: op.state, floats: op.valueHeads * op.keyDim * op.valueDim }],
  };
}

/** The key head of a value head. */
export function keyHeadOf({ keyHeads, valueHeads, sharing }: DeltaRuleOp, head: number): number {
  return sharing === 'apart' ? head % keyHeads : Math.floor(head / (valueHeads / keyHeads));
}

/** Added to the squares of a query or key before the root that makes its length 1. Source: transformers' `l2norm`. */
export const UNIT_EPS = 1e-6;
