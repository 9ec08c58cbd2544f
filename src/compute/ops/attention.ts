import type { HeadNorm, Norm, OpNeeds } from './op.js';

/** A product of its own: a matrix, and the addend of its results. */
export interface Projection {
  /** Packed [heads · headDim, hiddenSize], head after head. */
  readonly weight: string;
  readonly bias?: string;
}

/** An attention's projections of the hidden state; each may be stored in a way of its own. */
export const projectionNames = ['query', 'key', 'value'] as const;

/** attention = self-attention of norm?(hidden)'s projections: these, head norms, rope, cache write, attention. */
export interface AttentionOp {
  readonly op: 'attention';
  readonly layer: number;
  readonly norm?: Norm;
  readonly query: Projection;
  readonly key: Projection;
  readonly value: Projection;
  readonly queryNorm?: HeadNorm;
  readonly keyNorm?: HeadNorm;
  /** Which of the graph's ropes turns its heads; absent: they know no positions. */
  readonly rope?: number;
  /** Tokens that a row sees, itself included; 0 is all. */
  readonly window: number;
}

/** Self-attention, from the residual stream to its heads' outputs. */
export function attention(op: AttentionOp): OpNeeds {
  const projections = projectionNames.map((name) => op[name]);
  const tensors = [
    ...projections.flatMap(({ weight, bias }) => [weight, bias]),
    op.norm?.weight,
    op.queryNorm?.weight,
    op.keyNorm?.weight,
  ];
  return {
    tensors: tensors.filter((name) => name !== undefined),
    matrices: projections.map(({ weight }) => [weight]),
    reads: ['hidden'],
    writes: ['attention'],
    keeps: [{ kind: 'paged', layer: op.layer }],
  };
}
