import { toPathTree } from '../answer/answer-paths.js';
import { never, type ApiDialect } from '../answer/dialect.js';
import { KEPT_PATHS } from '../answer/paths-of.js';

/** OpenAI's embeddings: vectors, so a body has no completion. */
export const embeddings: ApiDialect = {
  path: '/v1/embeddings',
  canAskUsage: false,
  hasCompletion: false,
  whole: toPathTree(KEPT_PATHS),
  lastEvent: undefined,
  endOfChoice: undefined,
  readTexts: () => {},
  isBeginning: never,
  isUsageOnly: never,
};
