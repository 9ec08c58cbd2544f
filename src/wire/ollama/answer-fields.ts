// Fields that answers of chat and of text share.
import { toTokenLogprobs } from '../../answers/index.js';
import type { OllamaDoneReason, OllamaMetrics, TokenLogprob } from '../../api/index.js';
import type { ChoiceEnd, Delta, TokenUsage } from '../../completion/index.js';
import type { AnswerHead, WireRequest } from '../dialect.js';

const NANOSECONDS = 1e6;

/** When a piece was made, and by which model. */
export function toPieceHead({ model, timer }: AnswerHead): { readonly model: string; readonly created_at: string } {
  return { model, created_at: toRfc3339(timer.unixMs()) };
}

/** Milliseconds since 1970 with a fraction, as RFC 3339 with nanoseconds in UTC. */
export function toRfc3339(unixMs: number): string {
  const wholeMs = Math.floor(unixMs);
  const rest = Math.min(NANOSECONDS - 1, Math.round((unixMs - wholeMs) * NANOSECONDS));
  return `${new Date(wholeMs).toISOString().slice(0, -1)}${String(rest).padStart(6, '0')}Z`;
}

/** The usage of an answer: all six fields, also those that are 0. */
export function toMetrics({ promptTokens, completionTokens }: TokenUsage, { timer }: AnswerHead): OllamaMetrics {
  const { totalMs, loadMs, promptMs, completionMs } = timer.read();
  return {
    total_duration: toNanoseconds(totalMs),
    load_duration: toNanoseconds(loadMs),
    prompt_eval_count: promptTokens,
    prompt_eval_duration: toNanoseconds(promptMs),
    eval_count: completionTokens,
    eval_duration: toNanoseconds(completionMs),
  };
}

/** Why an answer ended; without a choice there was nothing but the model to load, or to let go. */
export function toDoneReason({ releases }: WireRequest, end: ChoiceEnd | undefined): OllamaDoneReason {
  if (end === undefined) return releases === true ? 'unload' : 'load';
  return end.finishReason === 'length' ? 'length' : 'stop';
}

/** The tokens of a piece of content, where they were asked for. */
export function toLogprobs(delta: Delta): { readonly logprobs?: TokenLogprob[] } {
  if (delta.type !== 'content' || delta.logprobs === undefined) return {};
  return { logprobs: toTokenLogprobs(delta.logprobs) };
}

function toNanoseconds(ms: number): number {
  return Math.round(ms * NANOSECONDS);
}
