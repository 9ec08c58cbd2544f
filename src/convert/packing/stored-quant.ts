import type { WeightSpec } from '../../model/index.js';
import { quantOf, type QuantName } from '../../weights/index.js';

/**
 * Vectors stay f32, and what chooses experts, since a near choice would turn. Below eight bits the embedding and the output
 * keep eight, since errors show most there.
 */
export function storedQuant(spec: WeightSpec, quant: QuantName): QuantName {
  if (spec.kind === 'vector' || spec.role === 'router') return 'f32';
  return quantOf(quant).bits < 8 && spec.role !== 'layer' ? 'q8' : quant;
}
