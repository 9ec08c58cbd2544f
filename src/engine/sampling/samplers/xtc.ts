import { randomAt } from '../../../base/index.js';
import { parameter } from '../parameter.js';
import { createSampler } from '../sampler.js';

/** First counter of this sampler's own random numbers: past any position of a token. */
const COUNTERS = 2 ** 40;

/**
 * "Exclude top choices": with `probability`, drops all tokens that are at least as likely as `threshold`, but the least
 * likely of them (of equal ones the highest id). Source: p-e-w 2024 (github.com/oobabooga/text-generation-webui/pull/6335).
 */
export const xtc = createSampler({
  parameters: {
    xtc: {
      probability: parameter({ neutral: 0, min: 0, max: 1 }),
      threshold: parameter({ neutral: 0.1, min: 0, max: 1 }),
    },
  },
  isOff: ({ sampling }) => sampling.xtc.probability === 0 || sampling.xtc.threshold > 0.5,
  apply(candidates, { sampling, randomKey, tokenIds, promptLength }) {
    const { probability, threshold } = sampling.xtc;
    if (randomAt(randomKey, COUNTERS + tokenIds.length - promptLength) >= probability) return;
    candidates.dropLarge(threshold);
  },
});
