import { DONE_LINE, FINISH_REASON, isChunkOfUsage, usageBeside, type Dialect } from '../answer/dialect.js';

/** OpenAI's chat completions, and what other runtimes put into their deltas. */
export const chatCompletions: Dialect = {
  path: '/v1/chat/completions',
  canAskUsage: true,
  textKeys: ['content', 'reasoning_content', 'reasoning', 'refusal', 'arguments'],
  lastEvent: DONE_LINE,
  endOfChoice: FINISH_REASON,
  bodyKeys: ['choices'],
  eventUsage: usageBeside,
  isUsageOnly: isChunkOfUsage,
};
