import type { HeadNorm, Norm, OpNeeds, Projection, SequenceState } from './op.js';

/** An attention's projections of the hidden state; each may be stored in a way of its own. */
export const projectionNames = ['query', 'key', 'value'] as const;

/** The heads of an attention. A key and value head serves numHeads / numKvHeads query heads. */
export interface Heads {
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly headDim: number;
}

/** attention = self-attention of norm?(hidden)'s projections: these, head norms, rope, cache write, attention. */
export interface AttentionOp extends Heads {
  readonly op: 'attention';
  readonly layer: number;
  /** Factor of query · key before softmax. */
  readonly scale: number;
  readonly norm?: Norm;
  /** Of [heads · headDim, hiddenSize], head after head. */
  readonly query: Projection;
  /** Absent, as `value` is, where it reads the keys and values of another layer. */
  readonly key?: Projection;
  readonly value?: Projection;
  /** The earlier layer whose keys and values it reads; they have the same heads. Absent: its own. */
  readonly cacheOf?: number;
  readonly queryNorm?: HeadNorm;
  readonly keyNorm?: HeadNorm;
  /** Which of the graph's ropes turns its heads; absent: they know no positions. */
  readonly rope?: number;
  /** Tokens that a row sees, itself included; 0 is all. */
  readonly window: number;
  /** Scores s become softCap · tanh(s / softCap). Absent: they stay. */
  readonly softCap?: number;
  /** A vector f32 [numHeads]: a score of each head that joins its softmax, without a value. */
  readonly sinks?: string;
}

/** Self-attention, from the residual stream to its heads' outputs. */
export function attention(op: AttentionOp): OpNeeds {
  const projections = projectionNames.flatMap((name) => op[name] ?? []);
  const tensors = [
    ...projections.flatMap(({ weight, bias }) => [weight, bias]),
    op.norm?.weight,
    op.queryNorm?.weight,
    op.keyNorm?.weight,
    op.sinks,
  ];
  return {
    tensors: tensors.filter((name) => name !== undefined),
    matrices: projections.map(({ weight }) => weight),
    reads: ['hidden'],
    writes: ['attention'],
    keeps: [stateOf(op)],
  };
}

function stateOf({ layer, cacheOf, numKvHeads, headDim, window }: AttentionOp): SequenceState {
  if (cacheOf !== undefined) return { kind: 'shared', layer, of: cacheOf, window };
  return { kind: 'paged', layer, numKvHeads, headDim, window };
}
