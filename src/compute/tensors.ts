import { packedMatrixBytes, packedVectorBytes, type QuantName } from '../weights/index.js';

/** A weight as a device plans it; the artifact's table entries fit. */
export interface PlannedTensor {
  readonly name: string;
  readonly kind: 'matrix' | 'vector';
  readonly quant: QuantName;
  readonly rows: number;
  readonly columns: number;
}

/** Bytes of a tensor as packed, in the artifact and wherever a device reads it from. */
export function tensorBytes(tensor: PlannedTensor): number {
  if (tensor.kind === 'vector') return packedVectorBytes(tensor.rows);
  return packedMatrixBytes(tensor.quant, tensor.rows, tensor.columns);
}
