// Short names that people know, and the repositories that they mean.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRepoId, readKnownName, suggestKnownName } from '../../src/store/index.js';
import { knownModels } from '../../src/store/known-models.js';

describe('a short name', () => {
  it.each([
    ['llama3.2', 'bartowski/Llama-3.2-3B-Instruct-GGUF', undefined],
    ['llama3.2:latest', 'bartowski/Llama-3.2-3B-Instruct-GGUF', undefined],
    ['llama3.2:1b', 'bartowski/Llama-3.2-1B-Instruct-GGUF', undefined],
    ['Llama-3.2:1B', 'bartowski/Llama-3.2-1B-Instruct-GGUF', undefined],
    ['llama3.2:1b-instruct-q8_0', 'bartowski/Llama-3.2-1B-Instruct-GGUF', 'Q8_0'],
    ['llama3.2:Q6_K', 'bartowski/Llama-3.2-3B-Instruct-GGUF', 'Q6_K'],
    ['llama3.1:8b-instruct-fp16', 'bartowski/Meta-Llama-3.1-8B-Instruct-GGUF', 'F16'],
    ['qwen2.5-coder:7b', 'Qwen/Qwen2.5-Coder-7B-Instruct-GGUF', undefined],
    ['qwen2.5-coder:0.5b-instruct-q4_K_M', 'Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF', 'Q4_K_M'],
    ['gemma3', 'unsloth/gemma-3-4b-it-GGUF', undefined],
    ['gemma3:1b-it', 'unsloth/gemma-3-1b-it-GGUF', undefined],
    ['phi4', 'bartowski/phi-4-GGUF', undefined],
    ['deepseek-r1:8b', 'unsloth/DeepSeek-R1-0528-Qwen3-8B-GGUF', undefined],
    ['smollm2:135m', 'bartowski/SmolLM2-135M-Instruct-GGUF', undefined],
    ['mistral', 'bartowski/Mistral-7B-Instruct-v0.3-GGUF', undefined],
    ['gpt-oss:20b', 'ggml-org/gpt-oss-20b-GGUF', undefined],
    ['nomic-embed-text', 'nomic-ai/nomic-embed-text-v1.5-GGUF', undefined],
    ['library/mistral:7b', 'bartowski/Mistral-7B-Instruct-v0.3-GGUF', undefined],
    ['registry.ollama.ai/library/phi4:14b', 'bartowski/phi-4-GGUF', undefined],
  ])('%s means %s', (name, repo, quant) => {
    expect(readKnownName(name)).toEqual({ repo, quant });
  });

  it.each([
    'llama3.2:9b',
    'llama3.2:3b-text',
    'gemma3:4b-it-qat',
    'demo',
    'gpt-4o',
    'org/llama3.2',
    '',
    'constructor',
    'x'.repeat(500),
  ])('%s means none', (name) => {
    expect(readKnownName(name)).toBeUndefined();
  });

  it('that is nearly one is answered with it', () => {
    expect(suggestKnownName('lama3.2:1b')).toContain('llama3.2:1b');
    expect(suggestKnownName('quen2.5')).toContain('qwen2.5');
    expect(suggestKnownName('llama3.2:9b')).toBe('llama3.2 is known as llama3.2:3b, llama3.2:1b');
    expect(suggestKnownName('llama3.2')).toBeUndefined();
    expect(suggestKnownName('a-model-of-my-own')).toBeUndefined();
    fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => (suggestKnownName(text) ?? '').length < 300));
  });
});

describe('the table of short names', () => {
  const all = Object.entries(knownModels).flatMap(([name, tags]) => tags.map(([tag, repo]) => ({ name, tag, repo })));

  it('has repositories alone, each name and tag once, all in small letters', () => {
    expect(all.filter(({ repo }) => !isRepoId(repo))).toEqual([]);
    expect(all.filter(({ name, tag }) => !/^[a-z0-9.-]+$/.test(name) || !/^[a-z0-9.]+$/.test(tag))).toEqual([]);
    expect(new Set(all.map(({ name, tag }) => `${name}:${tag}`)).size).toBe(all.length);
    const folded = Object.keys(knownModels).map((name) => name.replaceAll('-', ''));
    expect(new Set(folded).size).toBe(folded.length);
  });

  it('is read by every name and tag of it', () => {
    for (const { name, tag, repo } of all) {
      expect(readKnownName(`${name}:${tag}`)).toEqual({ repo, quant: undefined });
      expect(readKnownName(`${name}:${tag}-instruct-q4_K_M`)).toEqual({ repo, quant: 'Q4_K_M' });
    }
  });
});
