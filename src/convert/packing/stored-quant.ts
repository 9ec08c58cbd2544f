import { present } from '../../base/index.js';
import type { StoredTensor, WeightLayout } from '../../compute/index.js';
import { forwardGraph, weightTable, type ModelConfig, type WeightSpec } from '../../model/index.js';
import { quantOf, type QuantName } from '../../weights/index.js';

/**
 * Vectors stay f32, and what chooses experts, since a near choice would turn. Below eight bits the embedding and the output
 * keep eight, since errors show most there.
 */
export function storedQuant(spec: WeightSpec, quant: QuantName): QuantName {
  if (spec.kind === 'vector' || spec.role === 'router') return 'f32';
  return quantOf(quant).bits < 8 && spec.role !== 'layer' ? 'q8' : quant;
}

/** A tensor of an artifact, and the weights in it as one entry of the weight table: with the sources of all. */
export interface ArrangedSpec {
  readonly tensor: StoredTensor;
  readonly spec: WeightSpec;
}

/** The tensors of an artifact in `layout`. */
export function arrangeSpecs(config: ModelConfig, layout: WeightLayout): readonly ArrangedSpec[] {
  const specs = weightTable(config);
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  return layout.arrange(forwardGraph(config), specs).map((tensor) => {
    const held = tensor.of.map((name) => present(byName.get(name), `the weight table has ${name}`));
    const first = present(held[0], 'a stored tensor holds one of the graph');
    return { tensor, spec: { ...first, sources: held.flatMap(({ sources }) => sources) } };
  });
}
