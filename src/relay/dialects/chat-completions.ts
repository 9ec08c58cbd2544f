import { toPathTree } from '../answer/answer-paths.js';
import { DONE_LINE, FINISH_REASON, isChunkOfUsage, never, type ApiDialect } from '../answer/dialect.js';
import { KEPT_PATHS, messagePaths } from '../answer/paths-of.js';
import { readParsedTexts } from '../answer/read-parsed.js';

const chunk = toPathTree(messagePaths('choices.*.delta'));

/** OpenAI's chat completions, and the additions of other runtimes to their messages. */
export const chatCompletions: ApiDialect = {
  path: '/v1/chat/completions',
  canAskUsage: true,
  hasCompletion: true,
  whole: toPathTree([...KEPT_PATHS, ...messagePaths('choices.*.message')]),
  lastEvent: DONE_LINE,
  endOfChoice: FINISH_REASON,
  readTexts: (data, texts) => readParsedTexts(data, chunk, '', texts),
  isBeginning: never,
  isUsageOnly: isChunkOfUsage,
};
