import type { ErrorData } from '../base/index.js';
import type { TokenUsage } from '../completion/index.js';

/** What is known of one request for log and metrics. Never of what it says, of its answer, or of a key. */
export interface RequestRecord {
  readonly id: string;
  readonly method: string;
  /** The route's path as it is declared, not as it was sent; absent where there is none. */
  readonly route: string | undefined;
  readonly receivedMs: number;
  /** A model that the server has; what a request says is not taken for one. */
  model?: string;
  promptTokens?: number;
  completionTokens?: number;
  /** When the first token was handed to the client's answer, on the same clock. */
  firstTokenMs?: number;
  isStream?: boolean;
  /** What went wrong, before or after the status was sent. */
  error?: ErrorData;
}

/** Notes what an answer took. */
export function noteTokens(
  record: RequestRecord,
  { promptTokens, completionTokens }: Pick<TokenUsage, 'promptTokens' | 'completionTokens'>,
): void {
  record.promptTokens = promptTokens;
  record.completionTokens = completionTokens;
}

/** One JSON line for a request that is over. `status` 499: the client left. */
export function toLogLine(record: RequestRecord, status: number, endMs: number, time: string): string {
  const { id, method, route = null, model, isStream, promptTokens, completionTokens, firstTokenMs, error } = record;
  return JSON.stringify({
    time,
    event: 'request',
    id,
    method,
    route,
    status,
    ms: round(endMs - record.receivedMs),
    ...(model !== undefined && { model }),
    ...(isStream !== undefined && { stream: isStream }),
    ...(promptTokens !== undefined && { prompt_tokens: promptTokens }),
    ...(completionTokens !== undefined && { completion_tokens: completionTokens }),
    ...(firstTokenMs !== undefined && { first_token_ms: round(firstTokenMs - record.receivedMs) }),
    ...(error !== undefined && { code: error.code }),
  });
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
