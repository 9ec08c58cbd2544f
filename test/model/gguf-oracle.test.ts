import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convertCheckpoint } from '../../src/convert/index.js';
import { createEngine, type Engine } from '../../src/index.js';
import { ggufArchitectures } from '../../src/model/index.js';
import { greedyTokens, logitError, oracleGgufs, readExpected } from '../support/oracle.js';

/**
 * What activations of eight bits may cost, over the largest logit: about as much as in llama.cpp (shared/oracle/gguf). A near
 * choice of experts may turn.
 */
const EIGHT_BITS = { usual: 5e-2, gemma3: 9e-2, qwen35moe: 3e-1, moe: 9e-2, lfm2: 8e-2 } as const;

const types = ['F32', 'F16', 'BF16', 'Q4_0', 'Q4_1', 'Q8_0', 'Q2_K', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K'];
const files = oracleGgufs([...ggufArchitectures.keys()], types);

describe('oracle GGUF files', () => {
  let engine: Engine;
  let scratch: string;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'troupe-gguf-'));
    // The oracle's figures are for a float32 cache.
    engine = await createEngine({ threads: 1, modelsDir: join(scratch, 'models'), kvCache: 'f32' });
  });

  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    await rm(scratch, { recursive: true, force: true });
  });

  it('finds files to compare', () => expect(files.length).toBeGreaterThanOrEqual(3));

  it.each(files)('$name as floats: logits within the tolerance, greedy continuation identical', async (file) => {
    const out = join(scratch, file.name);
    await convertCheckpoint({ source: file.path, out, quant: 'f32' });
    await using model = await engine.load(out);
    const { tolerance, prompts } = readExpected(dirname(file.path), `${file.name}.expected.json`);
    for (const prompt of prompts) {
      expect(await logitError(model, prompt)).toBeLessThan(tolerance);
      expect(await greedyTokens(model, prompt)).toEqual(prompt.greedy);
    }
  });

  it.each(files)('$name as it is: logits within what eight-bit activations cost', async (file) => {
    await using model = await engine.load(file.path);
    const { prompts } = readExpected(dirname(file.path), `${file.name}.expected.json`);
    const kind = (['gemma3', 'qwen35moe', 'moe', 'lfm2'] as const).find((part) => file.name.includes(part)) ?? 'usual';
    for (const prompt of prompts) expect(await logitError(model, prompt)).toBeLessThan(EIGHT_BITS[kind]);
  });
});
