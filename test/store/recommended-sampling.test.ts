import { describe, expect, it } from 'vitest';
import { knownSampling, readGgufSampling } from '../../src/store/index.js';
import type { MetadataValue } from '../../src/weights/index.js';

const read = (values: Readonly<Record<string, MetadataValue>>): object =>
  readGgufSampling(new Map(Object.entries(values)), 'a.gguf');
/** The metadata of a published file that says nothing of sampling. */
const named = (values: Readonly<Record<string, string>>): Record<string, string> => ({
  'tokenizer.chat_template': '{{ messages }}',
  ...Object.fromEntries(Object.entries(values).map(([key, value]) => [`general.${key}`, value])),
});

describe('recommended sampling of a GGUF file', () => {
  it("is the file's own, as float32 numbers were written", () => {
    const own = {
      'general.sampling.temp': Math.fround(0.15),
      'general.sampling.top_p': Math.fround(0.95),
      'general.sampling.top_k': 20,
      'general.sampling.min_p': Math.fround(0.01),
      'general.sampling.penalty_repeat': Math.fround(1.05),
    };
    expect(read(own)).toEqual({ temperature: 0.15, topP: 0.95, topK: 20, minP: 0.01, repetitionPenalty: 1.05 });
    expect(read({ 'general.sampling.top_k': -1 })).toEqual({ topK: 0 });
  });

  it('is the own alone where the model is known too', () => {
    expect(read({ ...named({ name: 'Qwen3 8B' }), 'general.sampling.temp': 1 })).toEqual({ temperature: 1 });
  });

  // Metadata of published files.
  it.each([
    [
      { name: 'Qwen3 8B', basename: 'Qwen3', size_label: '8B' },
      { temperature: 0.6, topK: 20, topP: 0.95 },
    ],
    [
      { name: 'Qwen3-4B-Instruct-2507', basename: 'Qwen3-4B-Instruct-2507', finetune: 'Instruct', version: '2507' },
      { temperature: 0.7, topK: 20, topP: 0.8 },
    ],
    [
      { name: 'Qwen2.5 Coder 0.5B Instruct AWQ', basename: 'Qwen2.5-Coder', finetune: 'Instruct-AWQ' },
      { temperature: 0.7, topK: 20, topP: 0.8 },
    ],
    [
      { name: 'models', basename: 'Llama-3.2', size_label: '3B', finetune: 'Instruct' },
      { temperature: 0.6, topP: 0.9 },
    ],
    [
      { name: 'Gemma 3 270m', basename: 'gemma-3' },
      { temperature: 1, topK: 64, topP: 0.95 },
    ],
    [{ name: 'DeepSeek R1 Distill Qwen 1.5B' }, { temperature: 0.6, topP: 0.95 }],
    // Another's fine-tuning of a known model, a base model, and one whose makers recommend nothing.
    [{ name: 'Dolphin 3.0 Llama 3.1 8B', basename: 'Dolphin-3.0-Llama3.1' }, {}],
    [{ name: 'Qwen2.5 0.5B', basename: 'Qwen2.5' }, {}],
    [{ name: 'Smollm2 135M 8k Lc100K Mix1 Ep2', basename: 'smollm2' }, {}],
  ])('is known for %j', (values, expected) => {
    expect(read(named(values))).toEqual(expected);
  });

  it('is not guessed for a model without a chat template, nor from other texts', () => {
    expect(read({ 'general.name': 'Qwen3 8B' })).toEqual({});
    expect(read(named({ description: 'Qwen3 8B' }))).toEqual({});
    expect(read({ 'tokenizer.chat_template': '', 'general.name': 7 })).toEqual({});
  });

  it.each([
    ['general.sampling.temp', -1],
    ['general.sampling.temp', Number.NaN],
    ['general.sampling.temp', '0.7'],
    ['general.sampling.top_p', 1.5],
    ['general.sampling.min_p', -0.1],
    ['general.sampling.penalty_repeat', 0],
    ['general.sampling.top_k', 2 ** 40],
  ])('is refused where %s is %s', (key, value) => {
    expect(() => read({ [key]: value })).toThrow(
      new RegExp(`^a.gguf has ${key} = .*; it must be a number (from|above) .*$`),
    );
  });

  it('has a source for every known model', () => {
    for (const { values, source } of knownSampling) {
      expect(Object.keys(values).length).toBeGreaterThan(0);
      expect(source).toMatch(/^[\w.-]+\/[\w.-]+, /);
    }
  });
});
