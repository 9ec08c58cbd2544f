// Every device that computes the graph, beside its interpreter: families, quants and steps.

import { beforeAll, describe, expect, it } from 'vitest';
import { createBatch, devices, openDevice, type Device, type DeviceName } from '../../../src/compute/index.js';
import { loadOn, requestTiny } from '../../support/tiny-on-device.js';
import { MIXED_KINDS, mixKinds } from '../../support/mixed-kinds.js';
import { distinctFamilies, TINY_GEMMA3, tinyFamilies, type TinyOptions } from '../../support/tiny-model.js';

/** The widths of whole super-blocks, and a down projection in panels of columns. */
const wide = { hidden_size: 256, intermediate_size: 3328, num_hidden_layers: 1 };

const kinds: readonly (readonly [string, TinyOptions])[] = [
  ['all kinds of state in f32', { quant: 'f32', config: MIXED_KINDS, change: mixKinds }],
  // Long enough for layers with windows to have blocks of their own.
  ['gemma3 of a long context in f32', { quant: 'f32', config: { ...TINY_GEMMA3, max_position_embeddings: 4096 } }],
  ['qwen3 in bf16', { quant: 'bf16' }],
  ['qwen3 in q4m', { quant: 'q4m' }],
  ['qwen3 in q6k, in panels', { quant: 'q6k', config: wide }],
  ['llama in q4', { quant: 'q4', config: { model_type: 'llama', tie_word_embeddings: false } }],
  ...tinyFamilies.map(([name, config]) => [`${name} in f32`, { quant: 'f32', config }] as const),
  ...distinctFamilies.map(([name, config]) => [`${name} in q8`, { quant: 'q8', config }] as const),
];

/** 70 tokens in steps of these many rows. */
const STEPS = [33, 1, 30, 1, 5];
const BLOCKS = [3, 1, 4];

/** The logits of the last row of each step. */
async function logitsOf(name: DeviceName, options: TinyOptions): Promise<Float32Array[]> {
  const request = requestTiny(options, name);
  const memory = await loadOn(await devices[name].prepare({ isPortable: true }), request);
  // Nothing releases this memory: while the device is in reach, `release` collects garbage again and again.
  const children = memory.children({ restart: 'permanent', shutdownMs: 1_000 });
  children.renew();
  const device = openDevice(children.init(), () => {});
  device.copyState(undefined, 0);
  let start = 0;
  return STEPS.map((rows) => {
    runStep(device, start, rows, request.graph.vocabSize);
    start += rows;
    return device.logits(0).slice();
  });
}

function runStep(device: Device, start: number, rows: number, vocabSize: number): void {
  const batch = createBatch(device);
  for (const kv of [batch, ...batch.windows]) kv.blockTables = [BLOCKS];
  batch.states = [0];
  for (let row = 0; row < rows; row++) {
    const position = start + row;
    batch.tokenIds[row] = (position * 31) % vocabSize;
    batch.positions[row] = position;
    for (const { slots } of [batch, ...batch.windows]) slots[row] = (BLOCKS[position >> 5] ?? 0) * 32 + (position & 31);
  }
  batch.rows = rows;
  batch.logitRows[0] = rows - 1;
  batch.numLogitRows = 1;
  device.run(batch);
}

describe.each(kinds)('%s', (_, options) => {
  let expected: Float32Array[];
  beforeAll(async () => {
    expected = await logitsOf('reference', options);
  });

  // The dummy computes another function.
  it.each(['cpu'] as const)('gives the logits of the interpreter on the device %s', async (name) => {
    const logits = await logitsOf(name, options);
    // Quants with integers round activations and the KV cache to 8 bits; the interpreter does not.
    // With experts a near choice may turn; a recurrence goes on with what was rounded.
    const has = (field: string): boolean => field in (options.config ?? {});
    const rounded = has('num_experts') ? 0.2 : has('linear_num_value_heads') ? 0.1 : 0.06;
    const isExact = options.quant === 'f32' || options.quant === 'bf16';
    for (const [step, values] of logits.entries()) {
      const twin = expected[step] as Float32Array;
      const largest = twin.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const apart = values.reduce((most, value, i) => Math.max(most, Math.abs(value - (twin[i] as number))), 0);
      expect(apart / largest, `step ${step}`).toBeLessThan(isExact ? 1e-5 : rounded);
    }
  });
});
