import { createSampler } from '../sampler.js';

/** Adds a number to the logits of single tokens; −Infinity bans one. Source: OpenAI's `logit_bias`. */
export const logitBias = createSampler({
  parameters: {},
  isOff: ({ sampling }) => sampling.logitBias.length === 0,
  apply({ row }, { sampling }) {
    for (const [id, bias] of sampling.logitBias) row.set(id, row.get(id) + bias);
  },
});
