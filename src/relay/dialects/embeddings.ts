import { never, usageBeside, type Dialect } from '../answer/dialect.js';

/** OpenAI's embeddings: vectors, so that nothing of a body is a completion. */
export const embeddings: Dialect = {
  path: '/v1/embeddings',
  canAskUsage: false,
  textKeys: [],
  lastEvent: undefined,
  endOfChoice: undefined,
  bodyKeys: [],
  eventUsage: usageBeside,
  isUsageOnly: never,
};
