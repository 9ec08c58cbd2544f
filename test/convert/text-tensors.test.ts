import { describe, expect, it } from 'vitest';
import { textTensors } from '../../src/convert/huggingface/text-tensors.js';
import type { TensorSource } from '../../src/weights/index.js';

/** Tensors whose elements count on from a number. */
function sourceOf(tensors: Readonly<Record<string, readonly [shape: readonly number[], first: number]>>): TensorSource {
  return {
    tensors: new Map(
      Object.entries(tensors).map(([name, [shape]]) => [
        name,
        { dtype: 'F32', shape: [...shape], offset: 0, length: 0 },
      ]),
    ),
    async readFloats(name, start, count, out) {
      for (let i = 0; i < count; i++) out[i] = (tensors[name]?.[1] ?? NaN) + start + i;
      await Promise.resolve();
    },
    checkReadable() {},
    close: async () => Promise.resolve(),
    [Symbol.asyncDispose]: async () => Promise.resolve(),
  };
}

describe('the text model of a checkpoint', () => {
  const source = sourceOf({
    'model.language_model.norm.weight': [[4], 0],
    'model.visual.norm.weight': [[4], 0],
    'lm_head.weight': [[3, 4], 0],
    'model.language_model.layers.0.mlp.experts.gate_up_proj': [[2, 6, 4], 100],
    'model.language_model.layers.0.mlp.experts.down_proj': [[2, 4, 3], 200],
  });
  const tensors = textTensors(source, { text: 'model.language_model.', others: ['model.visual.'] });
  const experts = 'model.layers.0.mlp.experts';
  const shapes = {
    'model.norm.weight': [4],
    'lm_head.weight': [3, 4],
    [`${experts}.0.gate_proj.weight`]: [3, 4],
    [`${experts}.0.up_proj.weight`]: [3, 4],
    [`${experts}.1.gate_proj.weight`]: [3, 4],
    [`${experts}.1.up_proj.weight`]: [3, 4],
    [`${experts}.0.down_proj.weight`]: [4, 3],
    [`${experts}.1.down_proj.weight`]: [4, 3],
  };

  it('has the names of one that is text alone, and the matrices of stacked experts apart', () => {
    expect(Object.fromEntries([...tensors.tensors].map(([name, { shape }]) => [name, shape]))).toEqual(shapes);
  });

  it.each([
    [`${experts}.0.gate_proj.weight`, 104],
    [`${experts}.0.up_proj.weight`, 116],
    [`${experts}.1.gate_proj.weight`, 128],
    [`${experts}.1.up_proj.weight`, 140],
  ])('reads the second row of %s', async (name, first) => {
    const row = new Float32Array(4);
    await tensors.readFloats(name, 4, 4, row);
    expect([...row]).toEqual([first, first + 1, first + 2, first + 3]);
  });

  it('reads of a whole tensor and of a down projection from their own beginning', async () => {
    const row = new Float32Array(1);
    await tensors.readFloats(`${experts}.1.down_proj.weight`, 3, 1, row);
    expect(row[0]).toBe(215);
    await tensors.readFloats('model.norm.weight', 2, 1, row);
    expect(row[0]).toBe(2);
    expect(() => tensors.checkReadable('model.visual.norm.weight')).toThrowError(/no tensor/);
  });
});
