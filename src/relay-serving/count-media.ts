import type { RequestFacts } from '../relay/index.js';

/** Parts of a conversation that have prices of their own. */
export interface MediaCounts {
  readonly images: number;
  readonly audios: number;
}

/** Parts that are counted at most. */
const MAX_PARTS = 10_000;
const TYPE = Buffer.from('"type"');
/** Of a type with its quotes, and of the blanks around a colon. */
const MAX_VALUE = 64;
/** Types of parts. Sources: OpenAI's chat completions and responses, Anthropic's messages. */
const PART = /^"type"\s*:\s*"(?:(image_url|input_image|image)|(input_audio|audio_url))"/;

/** Images and sounds in a conversation, by the types of their parts. An escaped quote is one within a text, and no type. */
export function countMedia(body: Uint8Array, { conversation }: RequestFacts): MediaCounts {
  if (conversation === undefined || conversation.kind === 'string') return { images: 0, audios: 0 };
  const { start, end } = conversation;
  const text = Buffer.from(body.buffer, body.byteOffset + start, end - start);
  let [images, audios] = [0, 0];
  for (
    let at = text.indexOf(TYPE);
    at !== -1 && images + audios < MAX_PARTS;
    at = text.indexOf(TYPE, at + TYPE.length)
  ) {
    const found = PART.exec(text.toString('latin1', at, at + MAX_VALUE));
    if (found?.[1] !== undefined) images++;
    else if (found?.[2] !== undefined) audios++;
  }
  return { images, audios };
}
