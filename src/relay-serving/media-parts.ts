import type { RequestFacts } from '../relay/index.js';

/** Images, sounds and files of a conversation as data URLs. */
export interface MediaParts {
  readonly count: number;
  /** Of their URLs, as the body writes them. */
  readonly bytes: number;
}

/** Parts that are recognised as media; further ones are counted as text. */
const MAX_PARTS = 1_024;
const BEGIN = Buffer.from('"data:');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A slash may be escaped. Source: RFC 2397; RFC 8259, 7. */
const HEAD = /^"data:(?:image|audio|video|application)\\?\/[\w.+-]{1,64};base64,$/;
/** Of a head, quotes included. */
const MAX_HEAD = 96;

/** The data URLs in a conversation: base64 is not text, and its length does not show its tokens. */
export function findMediaParts(body: Uint8Array, { conversation }: RequestFacts): MediaParts {
  if (conversation === undefined) return { count: 0, bytes: 0 };
  const { start, end } = conversation;
  const text = Buffer.from(body.buffer, body.byteOffset + start, end - start);
  let [count, bytes] = [0, 0];
  for (let at = text.indexOf(BEGIN); at !== -1 && count < MAX_PARTS;) {
    const comma = text.indexOf(',', at);
    const close = text.indexOf(QUOTE, at + 1);
    if (close === -1) break;
    // An escaped quote is one within a text.
    const isHead = text[at - 1] !== BACKSLASH && comma !== -1 && comma < close && comma - at < MAX_HEAD;
    if (isHead && HEAD.test(text.toString('latin1', at, comma + 1))) {
      count++;
      bytes += close + 1 - at;
    }
    at = text.indexOf(BEGIN, close);
  }
  return { count, bytes };
}
