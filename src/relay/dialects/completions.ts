import { isChunkOfUsage, usageBeside, type Dialect } from '../answer/dialect.js';

/** OpenAI's older completions of text. */
export const completions: Dialect = {
  path: '/v1/completions',
  canAskUsage: true,
  textKeys: ['text'],
  bodyKeys: ['choices'],
  eventUsage: usageBeside,
  isUsageOnly: isChunkOfUsage,
};
