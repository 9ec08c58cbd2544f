import type { OpNeeds } from './op.js';

/** hidden = table[tokenIds] · scale; a row that the batch gives is what it gives. */
export interface EmbedOp {
  readonly op: 'embed';
  readonly table: string;
  readonly scale: number;
}

/** Rows of the embedding. */
export function embed({ table }: EmbedOp): OpNeeds {
  return { tensors: [table], matrices: [], reads: [], writes: ['hidden'] };
}
