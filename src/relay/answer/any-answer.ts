import { toPathTree, type AnswerPath } from './answer-paths.js';
import { DONE_LINE, never, type ApiDialect } from './dialect.js';
import { KEPT_PATHS, messagePaths } from './paths-of.js';
import { readParsedTexts } from './read-parsed.js';
import { BLOCK_EVENT_PATHS, BLOCK_PATHS } from '../dialects/messages.js';
import { ITEM_PATHS, readItemTexts } from '../dialects/responses.js';

/** Texts of Ollama's /api/chat and /api/generate, llama.cpp's /completion and text-generation-inference's /generate. */
const NATIVE_PATHS: readonly AnswerPath[] = [
  ...messagePaths('message'),
  { path: 'response', use: 'text' },
  { path: 'thinking', use: 'text' },
  { path: 'content', use: 'text' },
  { path: 'generated_text', use: 'text' },
];

const event = toPathTree([
  ...NATIVE_PATHS,
  ...messagePaths('choices.*.delta'),
  { path: 'choices.*.text', use: 'text' },
  ...BLOCK_EVENT_PATHS,
]);

/** An answer of an unknown API: its usage and its text are read from all the paths of known APIs. */
export const anyAnswer: ApiDialect = {
  path: '',
  canAskUsage: false,
  hasCompletion: true,
  whole: toPathTree([
    ...KEPT_PATHS,
    ...NATIVE_PATHS,
    ...messagePaths('choices.*.message'),
    { path: 'choices.*.text', use: 'text' },
    ...BLOCK_PATHS,
    ...ITEM_PATHS,
  ]),
  lastEvent: DONE_LINE,
  endOfChoice: undefined,
  readTexts: (data, texts) => {
    readParsedTexts(data, event, String(data['index']), texts);
    readItemTexts(data, texts);
  },
  isBeginning: ({ type }) => type === 'message_start',
  isUsageOnly: never,
};
