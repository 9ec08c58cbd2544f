import type { RequestFacts } from '../relay/index.js';

/** Parts of a conversation that have prices of their own. */
export interface MediaCounts {
  readonly images: number;
  readonly audios: number;
}

/** Parts that are counted at most. */
const MAX_PARTS = 10_000;
/** Types of parts. Sources: OpenAI's chat completions and responses, Anthropic's messages; `audio_url` of vLLM. */
const IMAGES: ReadonlySet<string> = new Set(['image_url', 'input_image', 'image']);
const AUDIOS: ReadonlySet<string> = new Set(['input_audio', 'audio_url']);
/** The longest of them with every letter escaped. */
const MAX_WRITTEN = 6 * 11;

const TYPE = Buffer.from('"type"');
/** The letters of `type` as escapes: a name that is written otherwise has at least one of them. Source: RFC 8259, 7. */
const LETTERS = ['\\u0074', '\\u0079', '\\u0070', '\\u0065'].map((letter) => Buffer.from(letter));
const WRITTEN_TYPE = /"(?:t|\\u0074)(?:y|\\u0079)(?:p|\\u0070)(?:e|\\u0065)"/g;

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const BLANKS: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Counts images and sounds in a conversation by the types of its parts, escaped or not. Similar texts are not counted. */
export function countMedia(body: Uint8Array, { conversation }: RequestFacts): MediaCounts {
  if (conversation === undefined || conversation.kind === 'string') return { images: 0, audios: 0 };
  const { start, end } = conversation;
  const text = Buffer.from(body.buffer, body.byteOffset + start, end - start);
  let [images, audios] = [0, 0];
  for (const behind of endsOfTypes(text)) {
    const value = valueAt(text, behind);
    if (value === undefined) continue;
    if (IMAGES.has(value)) images++;
    else if (AUDIOS.has(value)) audios++;
    if (images + audios >= MAX_PARTS) break;
  }
  return { images, audios };
}

/** Where each name `type` ends. An escaped quote is one within a text, and begins no name. */
function* endsOfTypes(text: Buffer): Generator<number> {
  if (LETTERS.some((letter) => text.includes(letter))) {
    for (const { index, 0: written } of text.toString('latin1').matchAll(WRITTEN_TYPE))
      if (text[index - 1] !== BACKSLASH) yield index + written.length;
    return;
  }
  for (let at = text.indexOf(TYPE); at !== -1; at = text.indexOf(TYPE, at + TYPE.length))
    if (text[at - 1] !== BACKSLASH) yield at + TYPE.length;
}

/**
 * The short string that is the value of the name before `from`; undefined: the value is not a string, or `type` was not
 * a name.
 */
function valueAt(text: Buffer, from: number): string | undefined {
  const colon = skipBlanks(text, from);
  if (text[colon] !== COLON) return undefined;
  const open = skipBlanks(text, colon + 1);
  if (text[open] !== QUOTE) return undefined;
  const close = text.indexOf(QUOTE, open + 1);
  if (close - open > MAX_WRITTEN + 1) return undefined;
  const written = text.toString('latin1', open, close + 1);
  // No type has an escape other than that of letters.
  return /^"(?:[^\\]|\\u[0-9A-Fa-f]{4})*"$/.test(written) ? (JSON.parse(written) as string) : undefined;
}

function skipBlanks(text: Buffer, from: number): number {
  let at = from;
  while (BLANKS.has(text[at])) at++;
  return at;
}
