import { MAX_PENALTY, parameter } from '../parameter.js';
import { createSampler } from '../sampler.js';

/**
 * Takes from the logits of generated tokens: `presencePenalty` once, `frequencyPenalty` for each time. The prompt does
 * not count. Source: OpenAI's `presence_penalty` and `frequency_penalty`.
 */
export const occurrencePenalties = createSampler({
  parameters: {
    frequencyPenalty: parameter({ neutral: 0, min: -MAX_PENALTY, max: MAX_PENALTY, wire: { min: -2, max: 2 } }),
    presencePenalty: parameter({ neutral: 0, min: -MAX_PENALTY, max: MAX_PENALTY, wire: { min: -2, max: 2 } }),
  },
  isOff: ({ sampling }) => sampling.presencePenalty === 0 && sampling.frequencyPenalty === 0,
  apply({ row, tally }, { sampling, tokenIds, promptLength }) {
    tally.count(tokenIds, promptLength);
    for (let i = 0; i < tally.numDistinct; i++) {
      const id = tally.distinct[i] as number;
      const penalty = sampling.presencePenalty + (tally.counts[id] as number) * sampling.frequencyPenalty;
      row.set(id, row.get(id) - penalty);
    }
  },
});
