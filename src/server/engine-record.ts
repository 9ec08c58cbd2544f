import type { TokenUsage } from '../completion/index.js';
import { roundMs, toLogLine, type RequestRecord } from '../endpoint/index.js';

/** Facts of one request, with its model's work. */
export interface EngineRecord extends RequestRecord {
  /** A model of the server; a name from the request alone does not count. */
  model?: string;
  promptTokens?: number;
  completionTokens?: number;
  /** Names of ignored parts: unsupported tools and items, unknown options. */
  ignored?: readonly string[];
  /** Fields that are misspelt, and so of no effect. */
  misspelt?: readonly string[];
  /** Keywords of schemas that the answer may violate, each with its path. */
  unenforced?: readonly string[];
  /** When the first token was handed to the client's answer, on the same clock. */
  firstTokenMs?: number;
}

/** Records the cost of an answer. */
export function recordTokens(
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
  // Of paths only the keyword: names in schemas belong to their author.
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
