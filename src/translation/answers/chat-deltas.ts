// What chunks and messages of chat completions say, in the spellings of many servers.
import type { AnswerPiece } from '../../answers/index.js';
import { stringifyInOrder } from '../../base/index.js';
import { isFields, type Fields } from '../requests/fields.js';

/** A piece of a tool call, as a chunk has it. */
export interface CallDelta {
  /** Which call; absent where a server does not say. */
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly argumentsText: string;
}

/** A text that is there and says something. */
function textAt(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

/** What was thought: `reasoning_content`, or `reasoning` as vLLM, Ollama and OpenRouter spell it; some send both. */
export function reasoningOf(message: Fields): string {
  const { content } = message;
  const parts = Array.isArray(content) ? content : [];
  // Source: Mistral's API, content chunks of type thinking.
  const inside = parts.map((part: unknown) =>
    isFields(part) && part['type'] === 'thinking' ? textsOf(part['thinking']) : '',
  );
  return (textAt(message, 'reasoning_content') || textAt(message, 'reasoning')) + inside.join('');
}

/** What was said: the content, also where it is in parts, and words of a refusal. */
export function contentOf(message: Fields): string {
  const { content } = message;
  return (typeof content === 'string' ? content : textsOf(content)) + textAt(message, 'refusal');
}

function textsOf(parts: unknown): string {
  if (typeof parts === 'string') return parts;
  if (!Array.isArray(parts)) return '';
  return parts.map((part: unknown) => (isFields(part) ? textAt(part, 'text') : '')).join('');
}

/** The calls of a message or a delta, those of the retired form among them. */
export function callsOf({ tool_calls: calls, function_call: old }: Fields): CallDelta[] {
  const listed = Array.isArray(calls) ? calls.filter(isFields) : [];
  const found = listed.map(({ index, id, function: called }): CallDelta => {
    return {
      index: typeof index === 'number' ? index : undefined,
      id: typeof id === 'string' && id !== '' ? id : undefined,
      ...calledOf(called),
    };
  });
  return isFields(old) ? [...found, { index: 0, id: undefined, ...calledOf(old) }] : found;
}

function calledOf(called: unknown): Pick<CallDelta, 'name' | 'argumentsText'> {
  if (!isFields(called)) return { name: undefined, argumentsText: '' };
  const { name, arguments: given } = called;
  // Ollama's own API has arguments as an object, and some servers took that over.
  const argumentsText = typeof given === 'string' ? given : isFields(given) ? stringifyInOrder(given) : '';
  return { name: typeof name === 'string' && name !== '' ? name : undefined, argumentsText };
}

/** The tokens of the content, where a choice tells them. */
export function logprobsOf({ logprobs }: Fields): Extract<AnswerPiece, { type: 'content' }>['logprobs'] {
  const content = isFields(logprobs) ? logprobs['content'] : undefined;
  if (!Array.isArray(content)) return undefined;
  return content.filter(isFields).map((token) => {
    const { top_logprobs: top } = token;
    return { ...chanceOf(token), top: Array.isArray(top) ? top.filter(isFields).map(chanceOf) : [] };
  });
}

function chanceOf({ token, bytes, logprob }: Fields): { bytes: readonly number[]; logprob: number } {
  const told = Array.isArray(bytes) ? bytes.filter((byte) => typeof byte === 'number') : undefined;
  return {
    bytes: told ?? [...Buffer.from(typeof token === 'string' ? token : '')],
    logprob: typeof logprob === 'number' ? logprob : 0,
  };
}

/** Why a choice ended, in our words; undefined: it has not, or for an unknown reason. */
export function finishOf(reason: unknown): 'stop' | 'length' | 'toolCalls' | undefined {
  if (typeof reason !== 'string' || reason === '') return undefined;
  if (reason === 'length' || reason === 'max_tokens') return 'length';
  return reason === 'tool_calls' || reason === 'function_call' ? 'toolCalls' : 'stop';
}

/** The stop string that ended a choice, where its server says: vLLM as `stop_reason`, SGLang as `matched_stop`. */
export function stopStringOf(
  { stop_reason: told, matched_stop: matched }: Fields,
  stops: readonly string[],
): string | undefined {
  return stops.find((stop) => stop === told || stop === matched);
}
