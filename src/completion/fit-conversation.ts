import type { ChatRequest } from './request.js';

/**
 * The conversation with as many of its newest turns as `fits` accepts. It begins with a message of the user; system
 * messages stay. If not even the last turn fits, only that turn remains, and the context check of the answer refuses
 * it. A longer conversation is assumed to need more tokens, so a binary search finds the cut in some ten renderings.
 */
export async function dropOldest<T>(
  request: ChatRequest,
  render: (request: ChatRequest) => Promise<T>,
  fits: (rendered: T) => boolean,
): Promise<T> {
  const whole = await render(request);
  const first = request.messages.findIndex(({ role }) => role !== 'system');
  const starts = request.messages.flatMap(({ role }, index) => (role === 'user' && index > first ? [index] : []));
  if (request.dropsOldest !== true || fits(whole) || starts.length === 0) return whole;
  let [low, high] = [0, starts.length - 1];
  let found = await render(from(request, starts[high]));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const rendered = await render(from(request, starts[middle]));
    if (fits(rendered)) [high, found] = [middle, rendered];
    else low = middle + 1;
  }
  return found;
}

/** The request from the message at `start` on. */
function from(request: ChatRequest, start = 0): ChatRequest {
  const messages = request.messages.filter(({ role }, index) => index >= start || role === 'system');
  return { ...request, messages };
}
