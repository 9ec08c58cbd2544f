import type { TokenUsage } from '../completion/index.js';
import { roundMs, toLogLine } from '../endpoint/index.js';
import type { EngineRecord } from './engine-route.js';

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
  const { model, isStream, promptTokens, completionTokens, firstTokenMs } = record;
  return toLogLine(record, status, endMs, time, {
    ...(model !== undefined && { model }),
    ...(isStream !== undefined && { stream: isStream }),
    ...(promptTokens !== undefined && { prompt_tokens: promptTokens }),
    ...(completionTokens !== undefined && { completion_tokens: completionTokens }),
    ...(firstTokenMs !== undefined && { first_token_ms: roundMs(firstTokenMs - record.receivedMs) }),
  });
}
