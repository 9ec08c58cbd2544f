import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { present } from '../../src/base/index.js';
import { convertCheckpoint } from '../../src/convert/index.js';
import { createEngine, type Engine, type Model } from '../../src/index.js';
import { greedyTokens, logitError, oracleModels, readExpected, type OraclePrompt } from '../support/oracle.js';
import { architectures } from '../../src/model/architectures/index.js';
import { openSafetensors } from '../../src/weights/index.js';

const models = oracleModels([...architectures.keys()]);

/** The models as artifacts, for both backends. */
let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'troupe-oracle-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Converts it for the backend that asks first. */
async function artifactOf(name: string, directory: string): Promise<string> {
  const out = join(scratch, name);
  if (!existsSync(out)) await convertCheckpoint({ source: directory, out, quant: 'f32' });
  return out;
}

describe.each([{ backend: 'cpu' as const }, { backend: 'reference' as const }])(
  'oracle models on $backend',
  ({ backend }) => {
    let engine: Engine;

    beforeAll(async () => {
      engine = await createEngine({ backend, threads: 1 });
    });

    afterAll(() => engine[Symbol.asyncDispose]());

    it('finds models to compare', () => {
      expect(models.length).toBeGreaterThanOrEqual(6);
    });

    it.each(models)(
      '$name: logits and embeddings within the tolerance, greedy continuation identical',
      async ({ name, directory }) => {
        const model = await engine.load(await artifactOf(name, directory));
        const { tolerance, prompts } = readExpected(directory);
        for (const prompt of prompts) {
          expect(await logitError(model, prompt)).toBeLessThan(tolerance);
          expect(await greedyTokens(model, prompt)).toEqual(prompt.greedy);
        }
        // Of the others not every token's logits are known.
        const whole = prompts.filter(({ ids, rows }) => ids.length === rows.length);
        expect(whole.length).toBeGreaterThan(1);
        const output = await readOutputMatrix(directory);
        for (const prompt of whole) await expectEmbedding(model, output, prompt, tolerance, boundOf(directory));
        await model[Symbol.asyncDispose]();
      },
    );
  },
);

/** f32 [vocabSize, hidden] of a checkpoint, divided as its logits are. */
async function readOutputMatrix(directory: string): Promise<Float32Array> {
  await using checkpoint = await openSafetensors(directory);
  const names = ['lm_head.weight', 'model.embed_tokens.weight', 'model.language_model.embed_tokens.weight'];
  const name = present(
    names.find((each) => checkpoint.tensors.has(each)),
    'an output matrix',
  );
  const [rows = 0, columns = 0] = checkpoint.tensors.get(name)?.shape ?? [];
  const matrix = new Float32Array(rows * columns);
  await checkpoint.readFloats(name, 0, matrix.length, matrix);
  const { logits_scaling: divisor = 1 } = readFields(directory);
  return matrix.map((value) => value / divisor);
}

/** The bound of a model's logits, if it has one. */
function boundOf(directory: string): number | undefined {
  return readFields(directory).final_logit_softcapping ?? undefined;
}

/** Fields of a checkpoint's config.json that change its logits. */
function readFields(directory: string): { logits_scaling?: number; final_logit_softcapping?: number | null } {
  return JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')) as ReturnType<typeof readFields>;
}

/** The output matrix is linear, so it makes the mean of all logits of the mean of all hidden states; before a bound of the logits. */
async function expectEmbedding(
  model: Model,
  output: Float32Array,
  { ids, logits, vocabSize, maxAbsLogit }: OraclePrompt,
  tolerance: number,
  bound?: number,
): Promise<void> {
  const unbound = (logit: number): number => (bound === undefined ? logit : bound * Math.atanh(logit / bound));
  const { embeddings } = await model.embed([ids], { normalize: false });
  const mean = embeddings[0] as Float32Array;
  expect(output).toHaveLength(vocabSize * mean.length);
  let worst = 0;
  for (let token = 0; token < vocabSize; token++) {
    const row = output.subarray(token * mean.length, (token + 1) * mean.length);
    const ours = row.reduce((sum, weight, i) => sum + weight * (mean[i] as number), 0);
    const theirs = ids.reduce((sum, _, i) => sum + unbound(logits[i * vocabSize + token] as number), 0) / ids.length;
    worst = Math.max(worst, Math.abs(ours - theirs));
  }
  expect(worst / maxAbsLogit).toBeLessThan(tolerance);
}
