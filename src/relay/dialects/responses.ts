import { toPathTree, type AnswerPath } from '../answer/answer-paths.js';
import type { AnswerTexts } from '../answer/answer-texts.js';
import { never, type ApiDialect } from '../answer/dialect.js';
import { KEPT_PATHS } from '../answer/paths-of.js';
import { isRecord, type JsonRecord } from '../usage/json-record.js';

/** The items of a whole answer. A reasoning item may have its text and a summary of it. */
export const ITEM_PATHS: readonly AnswerPath[] = [
  { path: 'output.*.content.*.text', use: 'text', same: 2 },
  { path: 'output.*.summary.*.text', use: 'text', same: 2 },
  { path: 'output.*.content.*.refusal', use: 'text' },
  { path: 'output.*.name', use: 'text' },
  { path: 'output.*.arguments', use: 'text' },
  { path: 'output.*.input', use: 'text' },
  { path: 'output.*.code', use: 'text' },
];

/** Deltas whose text no model wrote as tokens of text: base64, and the words of a sound. */
const NO_TEXT = /audio|image/;

/** Adds the text of an event of OpenAI's responses. */
export function readItemTexts(data: JsonRecord, texts: AnswerTexts): void {
  const { type, delta, item, output_index: output, content_index: content, summary_index: summary } = data;
  if (typeof type !== 'string') return;
  const index = String(output);
  if (type === 'response.output_item.added' && isRecord(item) && typeof item['name'] === 'string') {
    texts.add([index, 'name'], item['name']);
  }
  if (typeof delta !== 'string' || !type.endsWith('.delta') || NO_TEXT.test(type)) return;
  const isSummary = type.includes('reasoning_summary');
  const isShared = isSummary || type.includes('reasoning') || type.includes('output_text');
  const part = String(isSummary ? summary : content);
  if (isShared) texts.add([index, 'content', isSummary ? 'summary' : 'text', part], delta, 2);
  else texts.add([index, type, part], delta);
}

/** OpenAI's responses: the events that end a stream carry the whole response, the others its deltas. */
export const responses: ApiDialect = {
  path: '/v1/responses',
  canAskUsage: false,
  hasCompletion: true,
  whole: toPathTree([...KEPT_PATHS, ...ITEM_PATHS]),
  lastEvent: /"type"\s*:\s*"response\.(?:completed|incomplete|failed)"/,
  endOfChoice: undefined,
  readTexts: readItemTexts,
  isBeginning: never,
  isUsageOnly: never,
};
