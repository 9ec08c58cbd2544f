import { parameter } from '../parameter.js';
import { createSampler } from '../sampler.js';

/**
 * Keeps the tokens whose surprise is nearest to the expected one (the entropy), as many as reach typicalP together, at
 * least one. Source: Meister et al. 2022 (arXiv 2202.00666).
 */
export const typical = createSampler({
  parameters: {
    typicalP: parameter({ neutral: 1, min: 0, max: 1 }),
  },
  isOff: ({ sampling }) => sampling.typicalP >= 1,
  apply: (candidates, { sampling }) => candidates.keepTypical(sampling.typicalP),
});
