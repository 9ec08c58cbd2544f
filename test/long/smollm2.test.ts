import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { fork, type ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ourLikelihood, TEXT, toPerplexity } from '../../bench/peers/llama-cpp/perplexity.js';
import { findSmolLm2 } from '../../bench/peers/llama-cpp/smollm2.js';
import { convertCheckpoint, importGguf } from '../../src/convert/index.js';
import { createEngine, type Engine, type Model } from '../../src/index.js';

/** Of the same text by llama.cpp (llama-cpp-python 0.3.36, 2 threads, AVX-512) on the same file. */
const PEER_PERPLEXITY = 73.59905;

const QUESTIONS = [
  'What is the capital of France?',
  'What color is the sky on a clear day?',
  'Write one sentence about the sun.',
  'What is 2 plus 2?',
  'Name three animals.',
  'Who wrote Romeo and Juliet?',
  'What is the largest planet?',
  'Translate "good morning" to Spanish.',
  'How many days are in a week?',
  'What do bees make?',
];

const found = await findSmolLm2(process.cwd());
const path = 'path' in found ? found.path : '';
const reason = 'reason' in found ? `: skipped, ${found.reason}` : '';

describe.skipIf('reason' in found)(`SmolLM2-135M-Instruct from its Q4_1 file${reason}`, () => {
  let scratch = '';
  let engine: Engine;
  let model: Model;

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'smollm2-'));
    engine = await createEngine({ threads: 2, cacheDir: join(scratch, 'cache') });
    model = await engine.load(path);
  });

  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  });

  it('converts in seconds, once', async () => {
    const start = performance.now();
    await importGguf({ file: path, cacheDir: join(scratch, 'anew') });
    expect(performance.now() - start).toBeLessThan(20_000);
    const again = performance.now();
    await importGguf({ file: path, cacheDir: join(scratch, 'anew') });
    expect(performance.now() - again).toBeLessThan(200);
  });

  it('tokenizes 200 texts as llama.cpp does', () => {
    const file = join(process.cwd(), 'test/vectors/gguf/smollm2-ids.json');
    const cases = JSON.parse(readFileSync(file, 'utf8')) as { text: string; ids: number[] }[];
    expect(cases.length).toBe(200);
    for (const { text, ids } of cases)
      expect(model.tokenizer.encode(text, { addSpecialTokens: false }), text).toEqual(ids);
  });

  it('ends its answers by itself', async () => {
    const messages = [{ role: 'user' as const, content: 'What color is the sky on a clear day?' }];
    const { choices } = await model.chat({ messages, temperature: 0, max_tokens: 300 });
    expect(choices[0]?.message.content).toMatch(/blue/i);
    expect(choices[0]?.finish_reason).toBe('stop');
  });

  it('has the perplexity of llama.cpp on the same file, within 0.3 %', async () => {
    const ours = await ourLikelihood(path, process.cwd(), { threads: 2, cacheDir: join(scratch, 'cache') });
    expect(Math.abs(toPerplexity(ours) / PEER_PERPLEXITY - 1)).toBeLessThan(0.003);
  });

  it('answers ten questions as the same weights in float32 do, wherever their best two logits differ by more than 0.35', async () => {
    await using exact = await engine.load(await inFloat32());
    let compared = 0;
    for (const content of QUESTIONS) {
      const prompt = await exact.renderChat([{ role: 'user', content }], { addGenerationPrompt: true });
      const ids = Array.from(exact.tokenizer.encode(prompt));
      const first = ids.length - 1;
      const promptTokenIds = Uint32Array.from(ids);
      for await (const id of exact.generate({ promptTokenIds, maxTokens: 40, temperature: 0 })) ids.push(id);
      const all = Uint32Array.from(ids);
      const [ours, theirs] = [await model.forward(all), await exact.forward(all)];
      for (let at = first; at < ids.length - 1; at++) {
        const [from, to] = [at * model.vocabSize, (at + 1) * model.vocabSize];
        const wanted = bestTwo(theirs.subarray(from, to));
        if (wanted.margin <= 0.35) continue;
        compared++;
        expect(bestTwo(ours.subarray(from, to)).best, `${content}, token ${at - first}`).toBe(wanted.best);
      }
    }
    expect(compared).toBeGreaterThan(150);
  });

  it('is as near to the same weights in float32 as eight-bit activations allow', async () => {
    await using exact = await engine.load(await inFloat32());
    const ids = model.tokenizer.encode(readFileSync(TEXT, 'utf8')).slice(0, 256);
    const [ours, theirs] = [await model.forward(ids), await exact.forward(ids)];
    let difference = 0;
    let size = 0;
    theirs.forEach((logit, i) => {
      difference += ((ours[i] as number) - logit) ** 2;
      size += logit ** 2;
    });
    // On 512 tokens of another text it was 1.67 %, and that of llama.cpp 1.65 %.
    expect(Math.sqrt(difference / size)).toBeLessThan(0.03);
  });

  /** The same weights as float32, converted once. */
  async function inFloat32(): Promise<string> {
    const out = join(scratch, 'f32');
    if (!existsSync(out)) await convertCheckpoint({ source: path, out, quant: 'f32' });
    return out;
  }

  it('killed while it converts leaves nothing that is taken for done, and nothing at all after the next', async () => {
    const cacheDir = join(scratch, 'killed');
    const modelsDir = join(cacheDir, 'models');
    for (const afterMs of [0, 50, 150, 300]) {
      const child = fork(join(import.meta.dirname, 'fixtures/import-gguf.js'), [path, cacheDir]);
      await partialOf(modelsDir, child);
      await sleep(afterMs);
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
    }
    await importGguf({ file: path, cacheDir });
    expect(readdirSync(modelsDir).filter((name) => !name.startsWith('.')).length).toBe(1);
    await using survivor = await createEngine({ threads: 2, cacheDir });
    await using loaded = await survivor.load(path);
    expect(loaded.vocabSize).toBe(49_152);
  });
});

/** The place of the largest logit, and how far the second lies below it. */
function bestTwo(logits: Float32Array): { best: number; margin: number } {
  const best = logits.indexOf(logits.reduce((most, logit) => Math.max(most, logit), -Infinity));
  const second = logits.reduce((most, logit, id) => (id === best ? most : Math.max(most, logit)), -Infinity);
  return { best, margin: (logits[best] as number) - second };
}

/** Waits until the child writes, or has ended. */
async function partialOf(modelsDir: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    if (existsSync(modelsDir) && readdirSync(modelsDir).some((name) => name.includes('.partial-'))) return;
    await sleep(5);
  }
}
