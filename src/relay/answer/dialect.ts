import { isRecord, type JsonRecord } from '../usage/json-record.js';
import { findUsage } from '../usage/read-usage.js';
import type { ToldUsage } from '../usage/told-usage.js';
import type { PathNode } from './answer-paths.js';
import type { AnswerTexts } from './answer-texts.js';

/** How the answers of one API tell what they cost. */
export interface Dialect {
  /** The path without the base of a server. */
  readonly path: string;
  /** The member of `stream_options` that asks for usage is known. */
  readonly canAskUsage: boolean;
  /** Its answers have text of a model, and so tokens of a completion; what is embedded has none. */
  readonly hasCompletion: boolean;
  /** Where a whole answer has its texts, and what else is read of it. */
  readonly whole: PathNode;
  /** Found in the event that ends a stream, and in no other; undefined: only the end of its body does. */
  readonly lastEvent: RegExp | undefined;
  /** Found in an event that ends a choice: an event that is there only for usage may be the last of a stream behind it. */
  readonly endOfChoice: RegExp | undefined;
  /** Adds what an event of a stream has of text. */
  readTexts(data: JsonRecord, texts: AnswerTexts): void;
  /** Whether the usage of an event holds for the beginning of a completion only, not for all of it so far. */
  isBeginning(data: JsonRecord): boolean;
  /** Whether an event is one that is only there since usage was asked for. */
  isUsageOnly(data: JsonRecord): boolean;
}

/** The line that ends OpenAI's streams of chunks. */
export const DONE_LINE = /(?:^|[\r\n])data: ?\[DONE\]/;
/** Null in the chunks before the last of a choice. */
export const FINISH_REASON = /"finish_reason"\s*:\s*"/;

/** A chunk without choices that has usage. Source: OpenAI's API, `stream_options.include_usage`. */
export function isChunkOfUsage(data: JsonRecord): boolean {
  const { choices, usage } = data;
  return Array.isArray(choices) && choices.length === 0 && isRecord(usage);
}

/** The usage of an answer or event, as far as its API has completions: what is embedded is all prompt. */
export function usageOf({ hasCompletion }: Pick<Dialect, 'hasCompletion'>, data: JsonRecord): ToldUsage | undefined {
  const told = findUsage(data);
  if (told === undefined || told.isZero === true || hasCompletion) return told;
  const { promptTokens = 0, completionTokens = 0, totalTokens = 0, ...cache } = told;
  return { ...cache, promptTokens: promptTokens + completionTokens + totalTokens, completionTokens: 0 };
}

/** No event. */
export function never(): false {
  return false;
}
