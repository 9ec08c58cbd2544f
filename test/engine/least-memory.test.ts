// The smallest budget with which a model loads holds one context. More sequences than fit in it take turns, for each
// kind of state that a layer keeps of a sequence.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from '../../src/base/index.js';
import { devices } from '../../src/compute/index.js';
import { createRandomArtifact } from '../../src/convert/index.js';
import { engineKey } from '../../src/engine/index.js';
import { createEngine } from '../../src/index.js';
import { openModel, prepareModel, type OpenModel } from '../../src/models/opening/open-model.js';
import { createModelSupervisor } from '../../src/models/opening/model-tree.js';
import { isRunning } from '../faults/demo.js';
import { TINY_CONFIG, TINY_GEMMA3, tinyFamilies } from '../support/tiny-model.js';

function family(wanted: string): Record<string, unknown> {
  return present(tinyFamilies.find(([name]) => name === wanted)?.[1], `the family ${wanted}`);
}

const kinds = [
  ['keys and values', TINY_CONFIG],
  // Long enough for layers with windows to have blocks of their own.
  ['keys and values of a window', { ...TINY_CONFIG, ...TINY_GEMMA3, max_position_embeddings: 1024 }],
  ['the last inputs of convolutions', family('lfm2')],
  ['states of recurrences', family('qwen3_5')],
] as const;

/** Two and a half contexts of tokens, and of each three the same beginning. */
const REQUESTS = Array.from({ length: 20 }, (_, i) => ({
  promptTokenIds: Array.from({ length: 20 + 6 * i }, (__, at) => ((i % 3) * 31 + at * 17) % TINY_CONFIG.vocab_size),
  maxTokens: 40,
  sampling: { temperature: 1, seed: i },
  stopTokenIds: [],
  ignoreStop: true,
}));

const directory = mkdtempSync(join(tmpdir(), 'least-memory-'));
const device = await devices.cpu.prepare({ isPortable: true });
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The tokens of each request; `onToken` is called with the number of all tokens so far. */
async function answers(
  generate: OpenModel['generate'],
  requests: readonly (typeof REQUESTS)[number][],
  onToken: (count: number) => void = () => {},
): Promise<number[][]> {
  let count = 0;
  return Promise.all(
    requests.map(async (request) => {
      const tokens: number[] = [];
      for await (const { tokenIds } of generate(request)) {
        tokens.push(...tokenIds);
        count += tokenIds.length;
        onToken(count);
      }
      return tokens;
    }),
  );
}

describe.each(kinds)('the least memory of a model that keeps %s', (kind, config) => {
  const artifact = join(directory, kind.replaceAll(' ', '-'));
  const options = { device, threads: 2, placement: 'thread' } as const;
  let leastBytes: number;
  let alone: number[][];

  beforeAll(async () => {
    await createRandomArtifact({ config, out: artifact, quant: 'q8', seed: 1, id: 'tiny' });
    const models = await createModelSupervisor();
    await using least = await prepareModel(artifact, { ...options, models, maxBytes: 1 });
    leastBytes = least.bytes;
    // One thread, this one: the number of threads changes no token.
    await using roomy = await openModel(artifact, { device, threads: 1, placement: 'inline' });
    alone = [];
    for (const request of REQUESTS) alone.push(...(await answers(roomy.generate, [request])));
  });

  it('is what it loads with: a byte less is refused', async () => {
    const few = { threads: 2, kernel: 'portable' } as const;
    await using engine = await createEngine({ ...few, memoryBudgetBytes: leastBytes - 1 });
    await expect(engine.load(artifact)).rejects.toMatchObject({ code: 'out_of_memory' });
    await using other = await createEngine({ ...few, memoryBudgetBytes: leastBytes });
    const model = await other.load(artifact);
    expect(model.contextLength).toBe(config['max_position_embeddings']);
  });

  it('gives 20 sequences at once the tokens of each alone, and all blocks back', async () => {
    await using model = await openModel(artifact, { ...options, maxBytes: leastBytes });
    const { blocks } = await model.client.stats();
    for (let round = 0; round < 2; round++) {
      expect(await answers(model.generate, REQUESTS)).toEqual(alone);
      expect(await model.client.stats()).toMatchObject({ blocks, freeBlocks: blocks, running: 0, waiting: 0 });
    }
  });

  it.each([engineKey.id, 'compute-1'])('gives them the same tokens when %s dies among them', async (victim) => {
    await using model = await openModel(artifact, { ...options, maxBytes: leastBytes });
    const { blocks } = await model.client.stats();
    const kills = new Set([100, 500]);
    const disturbed = await answers(model.generate, REQUESTS, (count) => {
      const due = [...kills].find((at) => count >= at);
      if (due === undefined || !isRunning(model.tree(), victim)) return;
      kills.delete(due);
      model.supervisor.kill(victim);
    });
    expect(kills.size).toBe(0);
    expect(disturbed).toEqual(alone);
    expect(await model.client.stats()).toMatchObject({ blocks, freeBlocks: blocks });
  });
});
