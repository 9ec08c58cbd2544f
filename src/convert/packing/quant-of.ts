import type { WeightSpec } from '../../model/index.js';
import type { QuantName } from '../../weights/index.js';

/** Vectors stay f32; with four bits the embedding and the output, where errors are seen most, keep eight. */
export function quantOf(spec: WeightSpec, quant: QuantName): QuantName {
  if (spec.kind === 'vector') return 'f32';
  return (quant === 'q4' || quant === 'q4m') && spec.role !== 'layer' ? 'q8' : quant;
}
