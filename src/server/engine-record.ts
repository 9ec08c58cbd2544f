import type { TokenUsage } from '../completion/index.js';
import { roundMs, toLogLine, type RequestRecord } from '../endpoint/index.js';

/** What is known of one request, with what a model did for it. */
export interface EngineRecord extends RequestRecord {
  /** A model that the server has; what a request says is not taken for one. */
  model?: string;
  promptTokens?: number;
  completionTokens?: number;
  /** Names of what was of no effect: tools and items that are not served, options that are not known. */
  ignored?: readonly string[];
  /** Fields that are misspelt, and so of no effect. */
  misspelt?: readonly string[];
  /** Keywords of schemas that the answer is not held to, each with its place. */
  unenforced?: readonly string[];
  /** When the first token was handed to the client's answer, on the same clock. */
  firstTokenMs?: number;
}

/** Notes what an answer took. */
export function noteTokens(
  record: EngineRecord,
  { promptTokens, completionTokens }: Pick<TokenUsage, 'promptTokens' | 'completionTokens'>,
): void {
  record.promptTokens = promptTokens;
  record.completionTokens = completionTokens;
}

/** One JSON line for a request that is over. `status` 499: the client left. */
export function toEngineLogLine(record: EngineRecord, status: number, endMs: number, time: string): string {
  const { model, isStream, promptTokens, completionTokens, firstTokenMs, ignored = [], unenforced = [] } = record;
  const { misspelt = [] } = record;
  // Of places only the keyword: names in schemas are their owner's.
  const keywords = [...new Set(unenforced.map((place) => place.slice(place.lastIndexOf('/') + 1)))];
  return toLogLine(record, status, endMs, time, {
    ...(model !== undefined && { model }),
    ...(isStream !== undefined && { stream: isStream }),
    ...(promptTokens !== undefined && { prompt_tokens: promptTokens }),
    ...(completionTokens !== undefined && { completion_tokens: completionTokens }),
    ...(ignored.length > 0 && { ignored }),
    ...(misspelt.length > 0 && { unknown_fields: misspelt }),
    ...(keywords.length > 0 && { unenforced: keywords.slice(0, 32) }),
    ...(firstTokenMs !== undefined && { first_token_ms: roundMs(firstTokenMs - record.receivedMs) }),
  });
}
