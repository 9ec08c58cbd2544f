import { MAX_PENALTY, parameter } from '../parameter.js';
import { createSampler } from '../sampler.js';

/**
 * Makes the tokens of the last `repeatLastN` positions of prompt and completion less likely (above 1) or likelier: a
 * logit above 0 is divided by the penalty, any other multiplied with it, once however often the token occurs. Source:
 * Keskar et al. 2019, CTRL (arXiv 1909.05858); the window and the sign rule are llama.cpp's.
 */
export const repetitionPenalty = createSampler({
  parameters: {
    repetitionPenalty: parameter({ neutral: 1, min: 0, isAboveMin: true, max: MAX_PENALTY }),
    repeatLastN: parameter({ neutral: 64, whole: true, min: -1, note: '-1 is all' }),
  },
  isOff: ({ sampling }) => sampling.repetitionPenalty === 1 || sampling.repeatLastN === 0,
  apply({ row, tally }, { sampling, tokenIds }) {
    const { repetitionPenalty: penalty, repeatLastN } = sampling;
    tally.count(tokenIds, repeatLastN < 0 ? 0 : tokenIds.length - repeatLastN);
    for (let i = 0; i < tally.numDistinct; i++) {
      const id = tally.distinct[i] as number;
      const logit = row.get(id);
      row.set(id, logit > 0 ? logit / penalty : logit * penalty);
    }
  },
});
