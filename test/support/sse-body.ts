import { framedBody, type WatchableBody } from '../../src/http/index.js';
import { doneFraming } from '../../src/wire/index.js';

/** Events as OpenAI's streams have them: each string is one event's data, as is what `onError` says of a failure. */
export function sseBody(
  events: AsyncIterable<string>,
  { keepAliveMs, onError }: { readonly keepAliveMs: number; readonly onError: (error: unknown) => string },
): WatchableBody {
  const { frame, end, ping } = doneFraming;
  const options = { frame, end, ping, keepAliveMs, onError: (error: unknown) => frame(onError(error)) };
  return framedBody(events[Symbol.asyncIterator](), options);
}
