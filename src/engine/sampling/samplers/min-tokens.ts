import { parameter } from '../parameter.js';
import { createSampler } from '../sampler.js';

/** Bans the ids that would end the sequence until it has `minTokens` tokens. Source: vLLM's `min_tokens`. */
export const minTokens = createSampler({
  parameters: {
    minTokens: parameter({ neutral: 0, whole: true, min: 0 }),
  },
  isOff: ({ sampling, tokenIds, promptLength }) => tokenIds.length - promptLength >= sampling.minTokens,
  apply({ row }, { stopTokenIds }) {
    for (const id of stopTokenIds) if (id < row.vocabSize) row.set(id, -Infinity);
  },
});
