import { describe, expect, it } from 'vitest';
import { toGenerateRequest } from '../../src/embedding/generate-options.js';

const prompt = { promptTokenIds: [1], maxTokens: 8, seed: 3 };
const said = (options: object, recommended: object = {}): object =>
  toGenerateRequest({ ...prompt, ...options }, { stopTokenIds: [2], ...recommended }).sampling;

describe('the sampling of a prompt of token ids', () => {
  it.each<[string, object, object, object]>([
    ["is a conversation's where nothing is said", {}, {}, { temperature: 0.8, topP: 0.95, topK: 40, minP: 0.05 }],
    ['is what the model recommends', {}, { topK: 20 }, { temperature: 0.8, topP: 0.95, topK: 20, minP: 0.05 }],
    ['is what the call says', { topK: 0, minP: 0 }, { topK: 20 }, { temperature: 0.8, topP: 0.95, topK: 0, minP: 0 }],
    ['is what the call says also at temperature 0', { temperature: 0 }, { temperature: 1 }, { temperature: 0 }],
    ['takes null for nothing', { topK: null }, {}, { temperature: 0.8, topP: 0.95, topK: 40, minP: 0.05 }],
  ])('%s', (_, options, recommended, expected) => {
    expect(said(options, recommended)).toEqual({ ...expected, seed: 3 });
  });

  it('may repeat itself where the ends of the model are ignored', () => {
    const request = toGenerateRequest({ ...prompt, ignoreStop: true }, { stopTokenIds: [2] });
    expect([request.mayRepeat, request.stopTokenIds]).toEqual([true, []]);
    expect(toGenerateRequest(prompt, { stopTokenIds: [2] }).mayRepeat).toBeUndefined();
  });
});
