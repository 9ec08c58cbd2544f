import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { convertCheckpoint } from '../../src/convert/index.js';
import { createEngine, type Engine, type Model } from '../../src/index.js';
import { greedyTokens, logitError, oracleModels, readExpected, type OraclePrompt } from '../support/oracle.js';
import { openSafetensors } from '../../src/weights/index.js';

// phi-style and yarn variants of these families are refused by name until their own issue.
const models = oracleModels(['llama', 'qwen2', 'qwen3', 'gemma3_text']).filter(({ name }) => name !== 'qwen2-yarn');

describe.each([{ backend: 'cpu' as const }, { backend: 'reference' as const }])(
  'oracle models on $backend',
  ({ backend }) => {
    let engine: Engine;
    let scratch: string;

    beforeAll(async () => {
      engine = await createEngine({ backend, threads: 2 });
      scratch = await mkdtemp(join(tmpdir(), 'troupe-oracle-'));
    });

    afterAll(async () => {
      await engine[Symbol.asyncDispose]();
      await rm(scratch, { recursive: true, force: true });
    });

    it('finds models to compare', () => {
      expect(models.length).toBeGreaterThanOrEqual(6);
    });

    it.each(models)(
      '$name: logits and embeddings within the tolerance, greedy continuation identical',
      async ({ name, directory }) => {
        const out = join(scratch, name);
        await convertCheckpoint({ source: directory, out, quant: 'f32' });
        const model = await engine.load(out);
        const { tolerance, prompts } = readExpected(directory);
        for (const prompt of prompts) {
          expect(await logitError(model, prompt)).toBeLessThan(tolerance);
          expect(await greedyTokens(model, prompt)).toEqual(prompt.greedy);
        }
        // Of the others not every token's logits are known.
        const whole = prompts.filter(({ ids, rows }) => ids.length === rows.length);
        expect(whole.length).toBeGreaterThan(1);
        for (const prompt of whole) await expectEmbedding(model, directory, prompt, tolerance);
        await model[Symbol.asyncDispose]();
      },
    );
  },
);

/** The output matrix is linear, so it makes the mean of all logits of the mean of all hidden states. */
async function expectEmbedding(
  model: Model,
  directory: string,
  { ids, logits, vocabSize, maxAbsLogit }: OraclePrompt,
  tolerance: number,
): Promise<void> {
  const { embeddings } = await model.embed([ids], { normalize: false });
  const mean = embeddings[0] as Float32Array;
  await using checkpoint = await openSafetensors(directory);
  const isUntied = checkpoint.tensors.has('lm_head.weight');
  const row = new Float32Array(mean.length);
  let worst = 0;
  for (let token = 0; token < vocabSize; token++) {
    const name = isUntied ? 'lm_head.weight' : 'model.embed_tokens.weight';
    await checkpoint.readFloats(name, token * row.length, row.length, row);
    const ours = row.reduce((sum, weight, i) => sum + weight * (mean[i] as number), 0);
    const theirs = ids.reduce((sum, _, i) => sum + (logits[i * vocabSize + token] as number), 0) / ids.length;
    worst = Math.max(worst, Math.abs(ours - theirs));
  }
  expect(worst / maxAbsLogit).toBeLessThan(tolerance);
}
