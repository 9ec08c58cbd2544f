import { assert, present } from '../../base/index.js';
import type { ModelRows } from '../../compute/index.js';
import { rowSources, type RowSource, type WeightSpec } from '../../model/index.js';
import { repackers } from '../../weights/index.js';
import type { WeightSource } from '../checkpoint.js';

/** The rows of `specs`, the tensors of the graph, in `source`. */
export function createModelRows(specs: readonly WeightSpec[], source: WeightSource): ModelRows {
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  const specOf = (name: string): WeightSpec => present(byName.get(name), `the weight table has ${name}`);
  /** Rows of the checkpoint's tensors, one after the other; `width`: cells of a row. */
  const readEach = async <T extends { subarray(start: number): T }>(
    spec: WeightSpec,
    rows: readonly [start: number, count: number],
    width: number,
    out: T,
    read: (source: RowSource, into: T) => Promise<void>,
  ): Promise<void> => {
    let row = 0;
    for (const stretch of rowSources(spec, ...rows)) {
      await read(stretch, out.subarray(row * width));
      row += stretch.count;
    }
  };
  return {
    async readFloats(name, start, count, out) {
      const spec = specOf(name);
      const { columns, offset } = spec;
      await readEach(spec, [start, count], columns, out, (rows, into) =>
        source.readFloats(rows.tensor, rows.start * columns, rows.count * columns, into),
      );
      if (offset === 0 || source.hasOffsets === true) return;
      for (let i = 0; i < count * columns; i++) out[i] = (out[i] as number) + offset;
    },

    blocksOf(name) {
      const [type, ...others] = dtypesOf(specOf(name), source);
      return others.length === 0 && source.readRowBytes !== undefined ? type : undefined;
    },

    async readBlocks(name, start, count, out) {
      const spec = specOf(name);
      const { tensors, readRowBytes } = source;
      assert(readRowBytes !== undefined, 'blocks are read where a checkpoint has them');
      const [{ tensor } = { tensor: '' }] = spec.sources;
      const type = present(tensors.get(tensor), `the checkpoint has ${tensor}`).dtype;
      const width = present(repackers.get(type), `${type} is kept in blocks`).rowBytes(spec.columns);
      await readEach(spec, [start, count], width, out, (rows, into) =>
        readRowBytes(rows.tensor, rows.start, into.subarray(0, rows.count * width)),
      );
    },
  };
}

/** The types of a tensor's sources in a checkpoint. */
export function dtypesOf(
  { sources }: Pick<WeightSpec, 'sources'>,
  { tensors }: Pick<WeightSource, 'tensors'>,
): ReadonlySet<string> {
  return new Set(sources.flatMap(({ tensor }) => tensors.get(tensor)?.dtype ?? []));
}
