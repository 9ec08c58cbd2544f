import { toPathTree, type AnswerPath } from '../answer/answer-paths.js';
import { never, type ApiDialect } from '../answer/dialect.js';
import { KEPT_PATHS } from '../answer/paths-of.js';
import { readParsedTexts } from '../answer/read-parsed.js';
import { isRecord } from '../usage/json-record.js';

/** The blocks of a whole answer. */
export const BLOCK_PATHS: readonly AnswerPath[] = [
  { path: 'content.*.text', use: 'text' },
  { path: 'content.*.thinking', use: 'text' },
  { path: 'content.*.name', use: 'text' },
  { path: 'content.*.input', use: 'value' },
];

/** The parts of a block that events of a stream contain. */
export const BLOCK_EVENT_PATHS: readonly AnswerPath[] = [
  { path: 'delta.text', use: 'text' },
  { path: 'delta.thinking', use: 'text' },
  { path: 'delta.partial_json', use: 'text' },
  { path: 'content_block.text', use: 'text' },
  { path: 'content_block.thinking', use: 'text' },
  { path: 'content_block.name', use: 'text' },
];
const event = toPathTree(BLOCK_EVENT_PATHS);

/** Anthropic's messages: the prompt's tokens come with `message_start`, the completion's with `message_delta`. */
export const messages: ApiDialect = {
  path: '/v1/messages',
  canAskUsage: false,
  hasCompletion: true,
  whole: toPathTree([...KEPT_PATHS, ...BLOCK_PATHS]),
  lastEvent: /"type"\s*:\s*"message_stop"/,
  endOfChoice: undefined,
  readTexts: (data, texts) => readParsedTexts(data, event, String(data['index']), texts),
  isBeginning: ({ message }) => isRecord(message),
  isUsageOnly: never,
};
