import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddingList } from '../../src/api/index.js';
import { createEngine } from '../../src/index.js';
import { offencesOf } from './openai-schemas.js';
import { startServing, type Serving } from './serving.js';

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

const TEXTS = ['hello', 'The capital of Norway is Oslo.', 'One two'];

async function embed(request: object): Promise<EmbeddingList> {
  const response = await serving.post('/v1/embeddings', { model: 'demo', ...request });
  expect(response.status).toBe(200);
  return (await response.json()) as EmbeddingList;
}

describe('POST /v1/embeddings', () => {
  it('gives the library’s vectors, in the shape of OpenAI', async () => {
    await using engine = await createEngine({ threads: 1 });
    const model = await engine.load('demo');
    const { embeddings, promptTokens } = await model.embed(TEXTS);
    const list = await embed({ input: TEXTS });
    expect(offencesOf('CreateEmbeddingResponse', list)).toEqual([]);
    expect(list.data.map(({ embedding }) => embedding)).toEqual(embeddings.map((vector) => Array.from(vector)));
    expect(list.data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(list.usage).toEqual({ prompt_tokens: promptTokens, total_tokens: promptTokens });
  });

  it('gives the same vectors in base64', async () => {
    const [floats, packed] = await Promise.all([
      embed({ input: TEXTS }),
      embed({ input: TEXTS, encoding_format: 'base64' }),
    ]);
    for (const [i, { embedding }] of packed.data.entries()) {
      const bytes = Buffer.from(String(embedding), 'base64');
      const values = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
      expect(values).toEqual(floats.data[i]?.embedding);
    }
  });

  it('takes a text, a list of ids, and lists of ids', async () => {
    const vectors = await Promise.all([
      embed({ input: [1, 2, 3] }),
      embed({ input: [[1, 2, 3]] }),
      embed({ input: 'hello' }),
    ]);
    expect(vectors.map(({ data }) => data.length)).toEqual([1, 1, 1]);
    expect(vectors[0]?.data).toEqual(vectors[1]?.data);
  });

  it('takes the dimensions that the model has', async () => {
    expect((await embed({ input: 'hello', dimensions: 192 })).data[0]?.embedding).toHaveLength(192);
  });
});
