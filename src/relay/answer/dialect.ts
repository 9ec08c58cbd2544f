import { isRecord, type JsonRecord } from '../usage/json-record.js';
import { findUsage } from '../usage/read-usage.js';
import type { ToldUsage } from '../usage/told-usage.js';
import type { PathNode } from './answer-paths.js';
import type { AnswerTexts } from './answer-texts.js';

/** How the answers of one API report their usage. */
export interface ApiDialect {
  /** The path without the base of a server. */
  readonly path: string;
  /** The API knows the member of `stream_options` that asks for usage. */
  readonly canAskUsage: boolean;
  /** Its answers have text of a model, and so completion tokens; embeddings have none. */
  readonly hasCompletion: boolean;
  /** The paths of a whole answer's texts and other read values. */
  readonly whole: PathNode;
  /** Found in the event that ends a stream, and in no other; undefined: only the end of its body does. */
  readonly lastEvent: RegExp | undefined;
  /** Found in an event that ends a choice: an event that is there only for usage may be the last of a stream behind it. */
  readonly endOfChoice: RegExp | undefined;
  /** Adds the text of an event of a stream. */
  readTexts(data: JsonRecord, texts: AnswerTexts): void;
  /** Whether the usage of an event holds for the beginning of a completion only, not for all of it so far. */
  isBeginning(data: JsonRecord): boolean;
  /** Whether an event exists only because usage was asked for. */
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

/** The usage of an answer or event. For an API without completions, all tokens are prompt tokens. */
export function usageOf({ hasCompletion }: Pick<ApiDialect, 'hasCompletion'>, data: JsonRecord): ToldUsage | undefined {
  const told = findUsage(data);
  if (told === undefined || told.isZero === true || hasCompletion) return told;
  const { promptTokens = 0, completionTokens = 0, totalTokens = 0, ...cache } = told;
  return { ...cache, promptTokens: promptTokens + completionTokens + totalTokens, completionTokens: 0 };
}

/** No event. */
export function never(): false {
  return false;
}
