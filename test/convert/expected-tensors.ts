// What an artifact has of a checkpoint, row by row: the slow twin of the converter's batches.

import { devices, type StoredTensor } from '../../src/compute/index.js';
import { forwardGraph, rowSources, weightTable, type ModelConfig, type WeightSpec } from '../../src/model/index.js';

/** A tensor of an artifact. */
export interface ExpectedTensor {
  readonly tensor: StoredTensor;
  /** The first tensor of the graph that it has. */
  readonly spec: WeightSpec;
  /** Its rows that are no zeros, each a row of a checkpoint's tensor. */
  readonly rows: readonly { readonly row: number; readonly tensor: string; readonly start: number }[];
}

/** The tensors of an artifact for the CPU. */
export function expectedTensors(config: ModelConfig): readonly ExpectedTensor[] {
  const { layout } = devices.cpu;
  const specs = new Map(weightTable(config).map((spec) => [spec.name, spec]));
  return layout.arrange(forwardGraph(config), [...specs.values()]).map((tensor) => {
    const spec = specs.get(tensor.of[0] ?? '');
    if (spec === undefined) throw new Error(`${tensor.name} has no tensor of the graph`);
    let row = 0;
    const rows = layout.rows(tensor, 0, tensor.rows).flatMap(({ tensor: name, start, count }) => {
      const first = row;
      row += count;
      const held = specs.get(name ?? '');
      if (held === undefined) return [];
      return Array.from({ length: count }, (_, i) => i).flatMap((i) =>
        rowSources(held, start + i, 1).map((source) => ({
          row: first + i,
          tensor: source.tensor,
          start: source.start,
        })),
      );
    });
    return { tensor, spec, rows };
  });
}
