import type { ChatSettings, Failure, Turn } from '../conversation/conversation.js';
import { fieldsOf, parseJson, readEvents } from '../../data/index.js';
import { toPiece, type AnswerPiece } from './answer-pieces.js';
import { BROKEN_OFF, toFailure, unreadable, UNREACHABLE } from './failures.js';

/** The last event of a complete stream. */
const DONE = '[DONE]';

/** The outcome of an answer. */
export type Outcome = 'whole' | 'stopped' | Failure;

/**
 * The body of a request for the turn after `turns`. It leaves out absent numbers; the model's or chat defaults then
 * apply.
 */
export function toBody(turns: readonly Turn[], settings: ChatSettings): Readonly<Record<string, unknown>> {
  const { model, system, thinking, temperature, topP, maxTokens, seed } = settings;
  const before = system.trim() === '' ? [] : [{ role: 'system', content: system }];
  return {
    model,
    messages: [...before, ...turns.map(toMessage)],
    stream: true,
    sampling_defaults: 'chat',
    stream_options: { include_usage: true },
    ...(thinking !== 'auto' && { enable_thinking: thinking === 'on' }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(seed !== undefined && { seed }),
  };
}

/** Converts a turn to a message, without reasoning: templates leave it out of earlier turns. */
function toMessage({ role, text, toolCalls = [] }: Turn): Readonly<Record<string, unknown>> {
  if (toolCalls.length === 0) return { role, content: text };
  const calls = toolCalls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: given },
  }));
  return { role, content: text, tool_calls: calls };
}

/** Requests an answer and passes on each piece on arrival. Never rejects: failures are outcomes. */
export async function requestAnswer(
  body: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  onPiece: (piece: AnswerPiece) => void,
  send: typeof fetch = fetch,
): Promise<Outcome> {
  let hasBegun = false;
  try {
    const response = await send('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
    if (!response.ok) return toFailure(response.status, parseJson(await response.text()));
    if (response.body === null) return unreadable('it has no body');
    hasBegun = true;
    for await (const data of readEvents(response.body)) {
      if (data === DONE) return 'whole';
      const event = parseJson(data);
      if (event === undefined) return unreadable('an event of it is not JSON');
      if (fieldsOf(event)['error'] !== undefined) return toFailure(500, event);
      onPiece(toPiece(event));
    }
    return signal.aborted ? 'stopped' : BROKEN_OFF;
  } catch {
    // Error messages of fetch and streams do not help the user.
    if (signal.aborted) return 'stopped';
    return hasBegun ? BROKEN_OFF : UNREACHABLE;
  }
}
