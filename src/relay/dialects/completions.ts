import { toPathTree, type AnswerPath } from '../answer/answer-paths.js';
import { DONE_LINE, FINISH_REASON, isChunkOfUsage, never, type ApiDialect } from '../answer/dialect.js';
import { KEPT_PATHS } from '../answer/paths-of.js';
import { readParsedTexts } from '../answer/read-parsed.js';

const paths: readonly AnswerPath[] = [{ path: 'choices.*.text', use: 'text' }];
const chunk = toPathTree(paths);

/** OpenAI's older completions of text. */
export const completions: ApiDialect = {
  path: '/v1/completions',
  canAskUsage: true,
  hasCompletion: true,
  whole: toPathTree([...KEPT_PATHS, ...paths]),
  lastEvent: DONE_LINE,
  endOfChoice: FINISH_REASON,
  readTexts: (data, texts) => readParsedTexts(data, chunk, '', texts),
  isBeginning: never,
  isUsageOnly: isChunkOfUsage,
};
