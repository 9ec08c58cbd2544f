import { isLineType } from './line-blocks.js';
import { dataOf } from './sse-blocks.js';

/** The last bytes of an answer that ends early, for an event with the reason; `isLineStart`: the bytes so far end a line. */
export type EarlyEnd = (event: Uint8Array, isLineStart: boolean) => Uint8Array;

/**
 * How a stream can end early: with an event, or with the event's data as a line in a stream of JSON texts. Undefined:
 * it cannot, since it has a length or a content-encoding, or is not a stream.
 */
export function earlyEndOf(form: {
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly length: number | undefined;
}): EarlyEnd | undefined {
  const { contentType = '', contentEncoding, length } = form;
  if (contentEncoding !== undefined || length !== undefined) return undefined;
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') return (event) => event;
  return isLineType(type) ? toLine : undefined;
}

function toLine(event: Uint8Array, isLineStart: boolean): Uint8Array {
  const data = dataOf(Buffer.from(event).toString('utf8')) ?? '';
  return Buffer.from(`${isLineStart ? '' : '\n'}${data}\n`);
}
