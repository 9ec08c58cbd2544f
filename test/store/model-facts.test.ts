import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { demoDirectory } from '../../src/models/index.js';
import { createFactsReader, describeArtifact, type ModelFacts, type StoredModel } from '../../src/store/index.js';

const parent = mkdtempSync(join(tmpdir(), 'facts-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const vectors = join(process.cwd(), 'test/vectors/gguf');
const file = (name: string, path = join(vectors, name)): StoredModel => {
  return { name, path, isFile: true, changedMs: statSync(path).mtimeMs };
};
async function artifact(path: string): Promise<StoredModel> {
  const found = await describeArtifact('demo', path);
  if (found === undefined) throw new Error(`no artifact in ${path}`);
  return found;
}
const read = (model: StoredModel, isVerbose = false): Promise<ModelFacts> => createFactsReader().read(model, isVerbose);

describe('the facts of an artifact', () => {
  it('are those of its manifest, under the keys of GGUF', async () => {
    const facts = await read(await artifact(demoDirectory()));
    const config = JSON.parse(readFileSync(join(demoDirectory(), 'config.json'), 'utf8')) as Record<string, number>;
    expect(facts).toMatchObject({ format: 'troupe', architecture: 'qwen3', quantization: 'Q8_0', contextLength: 1024 });
    expect(facts.info).toMatchObject({
      'general.architecture': 'qwen3',
      'general.parameter_count': facts.numParameters,
      'qwen3.block_count': config['num_hidden_layers'],
      'qwen3.embedding_length': config['hidden_size'],
      'qwen3.attention.head_count': config['num_attention_heads'],
      'qwen3.attention.head_count_kv': config['num_key_value_heads'],
      'qwen3.rope.freq_base': config['rope_theta'],
    });
    expect(facts.numParameters).toBe(
      facts.tensors.map(({ shape }) => shape.reduce((a, b) => a * b, 1)).reduce((a, b) => a + b, 0),
    );
    expect(facts.template).toBe(readFileSync(join(demoDirectory(), 'chat_template.jinja'), 'utf8'));
    expect(facts.generation).toEqual({ temperature: 0.7, topP: 0.9 });
  });

  it('have the digest of what is in it, wherever it lies', async () => {
    const copy = join(parent, 'copy');
    cpSync(demoDirectory(), copy, { recursive: true });
    const facts = await read(await artifact(demoDirectory()));
    expect(facts.digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await read(await artifact(copy))).digest).toBe(facts.digest);
  });
});

describe('the facts of a GGUF file', () => {
  it.each([
    ['llama-q4_0.gguf', 'llama', 'Q4_0'],
    ['llama-k.gguf', 'llama', /^Q\d_K/],
    ['qwen2-q8_0.gguf', 'qwen2', 'Q8_0'],
    ['gemma3-q8_0.gguf', 'gemma3', 'Q8_0'],
  ])('%s are its own metadata', async (name, architecture, quantization) => {
    const facts = await read(file(name));
    expect(facts).toMatchObject({ format: 'gguf', architecture, sizeBytes: statSync(join(vectors, name)).size });
    expect(facts.quantization).toMatch(quantization);
    expect(facts.info['general.architecture']).toBe(architecture);
    expect(facts.contextLength).toBe(facts.info[`${architecture}.context_length`]);
    expect(facts.info[`${architecture}.block_count`]).toBeGreaterThan(0);
    expect(facts.info['general.parameter_count']).toBe(facts.numParameters);
    expect(facts.numParameters).toBeGreaterThan(1000);
    expect(facts.eosToken).toMatch(/^</);
  });

  it('have their long lists only where everything is asked for', async () => {
    const [brief, verbose] = [await read(file('qwen2-q8_0.gguf')), await read(file('qwen2-q8_0.gguf'), true)];
    const key = 'tokenizer.ggml.tokens';
    expect([brief.info[key], Array.isArray(verbose.info[key])]).toEqual([null, true]);
    expect(() => JSON.stringify(verbose.info)).not.toThrow();
  });

  it('have another digest when the file is another, and are read again then', async () => {
    const path = join(parent, 'one.gguf');
    cpSync(join(vectors, 'llama-q4_0.gguf'), path);
    const reader = createFactsReader();
    const first = await reader.read(file('one.gguf', path));
    expect(await reader.read(file('one.gguf', path))).toBe(first);
    utimesSync(path, new Date(0), new Date(0));
    const second = await reader.read(file('one.gguf', path));
    expect(second.digest).not.toBe(first.digest);
    writeFileSync(path, 'no model');
    await expect(reader.read(file('one.gguf', path))).rejects.toMatchObject({ code: 'checkpoint_invalid' });
  });
});
