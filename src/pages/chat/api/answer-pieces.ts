import type { TokenUsage, ToolCall } from '../conversation/conversation.js';
import { LIMITS } from '../conversation/limits.js';
import { fieldsOf, itemsOf, numberOf, textOf } from '../../data/index.js';

/** The part of an answer that one event adds. */
export interface AnswerPiece {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly CallPiece[];
  readonly finish?: string;
  readonly usage?: TokenUsage;
}

/** A part of the tool call `index`. */
export interface CallPiece extends Partial<ToolCall> {
  readonly index: number;
}

/** The received part of an answer. */
export interface PartialAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
}

/** An answer before its first piece. */
export const NO_ANSWER: PartialAnswer = { text: '', reasoning: '', toolCalls: [] };

/** Reads one event of a chat-completions stream. Missing fields add nothing. */
export function toPiece(event: unknown): AnswerPiece {
  const { choices, usage } = fieldsOf(event);
  const { delta, finish_reason: finish } = fieldsOf(itemsOf(choices)[0]);
  const { content, reasoning_content: reasoning, reasoning: thought, tool_calls: calls } = fieldsOf(delta);
  const end = textOf(finish);
  const tokens = toUsage(usage);
  return {
    text: textOf(content) ?? '',
    reasoning: textOf(reasoning) ?? textOf(thought) ?? '',
    calls: itemsOf(calls).map(toCallPiece),
    ...(end !== undefined && { finish: end }),
    ...(tokens !== undefined && { usage: tokens }),
  };
}

/** Adds a piece to an answer. A call beyond the limit is left out. */
export function addPiece(answer: PartialAnswer, { text, reasoning, calls }: AnswerPiece): PartialAnswer {
  const toolCalls = [...answer.toolCalls];
  for (const { index, id, name, arguments: more = '' } of calls) {
    if (!Number.isInteger(index) || index < 0 || index > toolCalls.length || index >= LIMITS.toolCalls) continue;
    const known = toolCalls[index];
    toolCalls[index] = {
      id: known?.id ?? id ?? '',
      name: (known?.name ?? '') + (name ?? ''),
      arguments: (known?.arguments ?? '') + more,
    };
  }
  return { text: answer.text + text, reasoning: answer.reasoning + reasoning, toolCalls };
}

function toCallPiece(value: unknown): CallPiece {
  const { index, id, function: called } = fieldsOf(value);
  const { name, arguments: more } = fieldsOf(called);
  const [key, title, given] = [id, name, more].map(textOf);
  return {
    index: numberOf(index) ?? 0,
    ...(key !== undefined && { id: key }),
    ...(title !== undefined && { name: title }),
    ...(given !== undefined && { arguments: given }),
  };
}

function toUsage(value: unknown): TokenUsage | undefined {
  const { prompt_tokens: prompt, completion_tokens: completion, completion_tokens_details: details } = fieldsOf(value);
  const [promptTokens, completionTokens] = [numberOf(prompt), numberOf(completion)];
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const reasoningTokens = numberOf(fieldsOf(details)['reasoning_tokens']) ?? 0;
  return { promptTokens, completionTokens, reasoningTokens };
}
