import { createHash } from 'node:crypto';
import type { Message, MessageCall } from '../request.js';

/** Length of a call's id in templates of Mistral; they refuse others. */
const ID_LENGTH = 9;
const IS_ID = /^[A-Za-z0-9]{9}$/;

/** Whether a template refuses ids of calls without exactly nine letters or digits. */
export function asksForShortIds(template: string): boolean {
  return /\|\s*length\s*!=\s*9\b/.test(template);
}

/**
 * The conversation with ids that such templates accept. An id of another form, which clients send back from us or from
 * another server, becomes a derived one. Calls without an id get one; each result without an id belongs to the first
 * call without a result.
 */
export function withShortIds(messages: readonly Message[]): Message[] {
  let open: string[] = [];
  return messages.map((message, index) => {
    if (message.role === 'tool') {
      const known = message.callId === undefined ? undefined : toShortId(message.callId);
      const callId = known ?? open[0] ?? toShortId(`result ${index}`);
      open = open.filter((id) => id !== callId);
      return { ...message, callId };
    }
    if (message.calls === undefined) return message;
    const calls = message.calls.map((call, place): MessageCall & { readonly id: string } => ({
      ...call,
      id: toShortId(call.id ?? `call ${index} ${place}`),
    }));
    open = calls.map(({ id }) => id);
    return { ...message, calls };
  });
}

/** Whether a template refuses messages with more than one call. */
export function takesOneCall(template: string): boolean {
  return /\btool_calls\s*\|\s*length\s*(?:==|!=)\s*1\b/.test(template);
}

/** The conversation for such templates: each call is a message of its own, followed by its results. */
export function withSingleCalls(messages: readonly Message[]): Message[] {
  const single: Message[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) break;
    const { calls = [] } = message;
    if (calls.length < 2) {
      single.push(message);
      continue;
    }
    let end = index + 1;
    while (messages[end]?.role === 'tool') end++;
    const results = messages.slice(index + 1, end);
    const left = new Set(results);
    calls.forEach((call, place) => {
      const { reasoning: _, ...later } = message;
      single.push(place === 0 ? { ...message, calls: [call] } : { ...later, content: [], calls: [call] });
      const own = results.filter((result) =>
        result.callId === undefined || call.id === undefined ? result === results[place] : result.callId === call.id,
      );
      for (const result of own) if (left.delete(result)) single.push(result);
    });
    // Results without a call stay at the end, where the template may refuse them.
    single.push(...left);
    index = end - 1;
  }
  return single;
}

function toShortId(id: string): string {
  if (IS_ID.test(id)) return id;
  return createHash('sha256')
    .update(id)
    .digest('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, ID_LENGTH);
}
