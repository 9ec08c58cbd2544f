import { describe, expect, it } from 'vitest';
import { columnPanels, cpuLayout } from '../../src/compute/devices/cpu/layout.js';
import { repack, type ModelRows, type PlannedTensor, type WeightLayout } from '../../src/compute/index.js';
import { rowLayout } from '../../src/compute/devices/reference/layout.js';
import { fillTensors, planTinyModel, tinyFamilies } from '../support/tiny-model.js';

describe('the panels of a wide matrix', () => {
  it('hold each column once, in order, and begin where the largest block of a quant does', () => {
    for (let columns = 1; columns < 40_000; columns += 37) {
      let next = 0;
      const panels = columnPanels('m', columns);
      for (const { start, columns: width } of panels) {
        expect(start).toBe(next);
        expect(start % 256).toBe(0);
        expect(width).toBeGreaterThan(0);
        next += width;
      }
      expect(next).toBe(columns);
      expect(new Set(panels.map(({ name }) => name)).size).toBe(panels.length);
    }
  });

  it('are of about 2,048 columns, where the matrix is wider than half as much again', () => {
    expect(columnPanels('m', 3072)).toEqual([{ name: 'm', start: 0, columns: 3072 }]);
    const widths = (columns: number): number[] => columnPanels('m', columns).map((panel) => panel.columns);
    expect(widths(4096)).toEqual([2048, 2048]);
    expect(widths(4864)).toEqual([1792, 1792, 1280]);
    expect(widths(5632)).toEqual([2048, 2048, 1536]);
    expect(widths(14_336)).toEqual(Array.from({ length: 7 }, () => 2048));
    expect(columnPanels('m', 3073).map(({ name }) => name)).toEqual(['m.0', 'm.1']);
  });
});

/** Tensors in `layout`, with memory for each. */
function hold(layout: WeightLayout, tensors: readonly PlannedTensor[]) {
  const bytesOf = new Map(tensors.map((tensor) => [tensor.name, new Uint8Array(layout.bytes(tensor))]));
  return { layout, tensors, bytesOf, bytes: (name: string) => bytesOf.get(name) as Uint8Array };
}

/** The rows of plain matrices, as a file has them. */
function rowsOf({ tensors, bytes }: ReturnType<typeof hold>): ModelRows {
  const columnsOf = new Map(tensors.map(({ name, columns }) => [name, columns]));
  return {
    async readFloats(name, start, count, out) {
      const columns = columnsOf.get(name) as number;
      const { buffer } = bytes(name);
      await Promise.resolve(out.set(new Float32Array(buffer, start * columns * 4, count * columns)));
    },
    blocksOf: () => undefined,
    readBlocks: () => Promise.reject(new Error('floats have no blocks')),
  };
}

describe('the layout of the CPU', () => {
  const biased = { model_type: 'llama', mlp_bias: true, intermediate_size: 3100, num_hidden_layers: 1 };

  it('has gate and up in turns of eight rows, zeros after the last, and names of its own', () => {
    const { tensors } = planTinyModel({ config: biased });
    const pair = tensors.find(({ of }) => of.includes('layers.0.up'));
    expect(pair).toMatchObject({ name: 'layers.0.gateUp', rows: 6208, of: ['layers.0.gate', 'layers.0.up'] });
    expect(tensors.map(({ name }) => name)).toContain('layers.0.gateUpBias');
    expect(cpuLayout.rows(pair as PlannedTensor, 0, 24)).toEqual([
      { tensor: 'layers.0.gate', start: 0, count: 8 },
      { tensor: 'layers.0.up', start: 0, count: 8 },
      { tensor: 'layers.0.gate', start: 8, count: 8 },
    ]);
    expect(cpuLayout.rows(pair as PlannedTensor, 6192, 16)).toEqual([
      { tensor: 'layers.0.gate', start: 3096, count: 4 },
      { tensor: null, start: 0, count: 4 },
      { tensor: 'layers.0.up', start: 3096, count: 4 },
      { tensor: null, start: 0, count: 4 },
    ]);
  });

  it.each([['biases and panels', biased] as const, ...tinyFamilies])(
    'holds every weight of %s once: rows of floats, and back, are the same bytes',
    async (_, settings) => {
      const { graph, specs, tensors } = planTinyModel({ quant: 'f32', config: settings });
      const drawn = hold(cpuLayout, tensors);
      fillTensors(tensors, drawn.bytes);
      // What pads the rows of gate and up has no place elsewhere.
      const plain = rowLayout.arrange(graph, specs);
      const rows = hold(
        rowLayout,
        plain.map((tensor) => ({ ...tensor, quant: 'f32' as const })),
      );
      await repack(drawn, rows, () => Promise.resolve());
      expect(rows.tensors.map(({ name }) => name)).toEqual(specs.map(({ name }) => name));
      const packed = hold(cpuLayout, tensors);
      await repack(rows, packed, () => Promise.resolve());
      const again = hold(rowLayout, rows.tensors);
      await repack(packed, again, () => Promise.resolve());
      expect([...again.bytesOf.keys()]).toEqual([...rows.bytesOf.keys()]);
      const differing = (a: typeof rows, b: typeof rows, names: readonly PlannedTensor[]): string[] =>
        names.map(({ name }) => name).filter((name) => !Buffer.from(a.bytes(name)).equals(b.bytes(name)));
      expect(differing(again, rows, rows.tensors)).toEqual([]);
      const alone = tensors.filter(({ turnRows }) => turnRows === undefined);
      expect(differing(packed, drawn, alone)).toEqual([]);
      // From rows that are read as from a file.
      for (const each of [packed, rows]) {
        const streamed = hold(each.layout, each.tensors);
        await each.layout.packAll(each.tensors, rowsOf(rows), async ({ name }, pieces) => {
          let at = 0;
          for await (const piece of pieces) {
            streamed.bytes(name).set(piece, at);
            at += piece.length;
          }
          expect(at).toBe(streamed.bytes(name).length);
        });
        expect(differing(streamed, each, each.tensors)).toEqual([]);
      }
    },
  );
});
