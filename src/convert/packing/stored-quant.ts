import type { WeightSpec } from '../../model/index.js';
import { quantOf, type QuantName } from '../../weights/index.js';

/** Vectors stay f32; with fewer than eight bits the embedding and the output, where errors are seen most, keep eight. */
export function storedQuant(spec: WeightSpec, quant: QuantName): QuantName {
  if (spec.kind === 'vector') return 'f32';
  return quantOf(quant).bits < 8 && spec.role !== 'layer' ? 'q8' : quant;
}
