import { DONE_LINE, FINISH_REASON, isChunkOfUsage, usageBeside, type Dialect } from '../answer/dialect.js';

/** OpenAI's older completions of text. */
export const completions: Dialect = {
  path: '/v1/completions',
  canAskUsage: true,
  textKeys: ['text'],
  lastEvent: DONE_LINE,
  endOfChoice: FINISH_REASON,
  bodyKeys: ['choices'],
  eventUsage: usageBeside,
  isUsageOnly: isChunkOfUsage,
};
