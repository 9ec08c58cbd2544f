import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openArtifact } from '../../src/artifact/index.js';
import { createRandomArtifact, shapes } from '../../src/convert/index.js';
import { parseModelConfig, weightTable } from '../../src/model/index.js';
import { quantNames, unpackMatrix } from '../../src/weights/index.js';
import { expectedTensors } from './expected-tensors.js';

const small = {
  ...shapes['1.1b'],
  vocab_size: 300,
  hidden_size: 96,
  intermediate_size: 3200,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
};

async function inParent<T>(use: (parent: string) => Promise<T>): Promise<T> {
  const parent = mkdtempSync(join(tmpdir(), 'random-'));
  try {
    return await use(parent);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

describe('an artifact of random weights', () => {
  it.each(quantNames)('in %s has the tensors of its config, finite and of the deviation meant', (quant) =>
    inParent(async (parent) => {
      const out = join(parent, 'model');
      await createRandomArtifact({ config: small, out, quant });
      await using artifact = await openArtifact(out);
      await artifact.verifyWeights();
      const specs = expectedTensors(parseModelConfig(small));
      const width = new Map(specs.map(({ tensor, spec }) => [tensor.name, spec.columns]));
      expect(artifact.manifest.tensors.map(({ name }) => name)).toEqual(specs.map(({ tensor }) => tensor.name));
      for (const entry of artifact.manifest.tensors.filter(({ kind }) => kind === 'matrix')) {
        const bytes = new Uint8Array(entry.sizeBytes);
        await artifact.readTensor(entry, bytes);
        const values = unpackMatrix(entry.quant, bytes, entry.rows, entry.columns);
        const variance = values.reduce((sum, value) => sum + value * value, 0) / values.length;
        const deviation = Math.sqrt(variance * (width.get(entry.name) ?? Number.NaN));
        expect(deviation).toBeGreaterThan(0.95);
        expect(deviation).toBeLessThan(1.05);
      }
    }),
  );

  it('is the same for the same seed and another for another', () =>
    inParent(async (parent) => {
      const bytes: Buffer[] = [];
      for (const [i, seed] of [1, 1, 2].entries()) {
        await createRandomArtifact({ config: small, out: join(parent, String(i)), quant: 'q4', seed });
        bytes.push(readFileSync(join(parent, String(i), 'weights.bin')));
      }
      expect(bytes[0]?.equals(bytes[1] ?? Buffer.alloc(0))).toBe(true);
      expect(bytes[0]?.equals(bytes[2] ?? Buffer.alloc(0))).toBe(false);
    }));

  it.each([
    ['1.1b', 1.1e9],
    ['0.5b', 0.494e9],
    ['8b', 8.03e9],
  ] as const)('has a shape %s of about %d weights', (name, expected) => {
    const specs = weightTable(parseModelConfig(shapes[name]));
    const weights = specs.reduce((sum, { rows, columns }) => sum + rows * columns, 0);
    expect(Math.abs(weights / expected - 1)).toBeLessThan(0.01);
  });
});
