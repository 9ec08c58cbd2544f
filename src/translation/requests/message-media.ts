// Images and files of a conversation as parts of chat completions.
import { isFields, type Fields } from './fields.js';
import type { MediaPart, TurnPart } from './chat-turns.js';

/** An image of messages; undefined: only Anthropic's servers can read it. */
export function imageOf({ source }: Fields): MediaPart | undefined {
  const url = urlOf(source);
  return url === undefined ? undefined : { type: 'image_url', image_url: { url } };
}

/** A document of messages: its text where it has one, a file otherwise. */
export function fileOf({ source, title }: Fields): TurnPart | undefined {
  const named = typeof title === 'string' && title !== '' ? { filename: title } : {};
  if (isFields(source) && source['type'] === 'text' && typeof source['data'] === 'string') return source['data'];
  if (isFields(source) && source['type'] === 'content')
    return typeof source['content'] === 'string' ? source['content'] : textOfBlocks(source['content']);
  const url = urlOf(source);
  return url === undefined ? undefined : { type: 'file', file: { ...named, file_data: url } };
}

/** A part of an item of responses that is no text; undefined: its file is kept at OpenAI. */
export function mediaOf({
  type,
  image_url: image,
  detail,
  file_data: data,
  file_url: link,
  filename,
  input_audio: audio,
}: Fields): MediaPart | undefined {
  if (type === 'input_image' && typeof image === 'string') {
    return { type: 'image_url', image_url: { url: image, ...(typeof detail === 'string' && { detail }) } };
  }
  const file = typeof data === 'string' ? data : link;
  if (type === 'input_file' && typeof file === 'string') {
    return { type: 'file', file: { ...(typeof filename === 'string' && { filename }), file_data: file } };
  }
  return type === 'input_audio' && isFields(audio) ? { type: 'input_audio', input_audio: audio } : undefined;
}

function urlOf(source: unknown): string | undefined {
  if (!isFields(source)) return undefined;
  const { type, url, data, media_type: mediaType } = source;
  if (type === 'url' && typeof url === 'string') return url;
  if (type !== 'base64' || typeof data !== 'string' || typeof mediaType !== 'string') return undefined;
  return `data:${mediaType};base64,${data}`;
}

function textOfBlocks(blocks: unknown): string | undefined {
  if (!Array.isArray(blocks)) return undefined;
  const texts = blocks.flatMap((block: unknown) =>
    isFields(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  return texts.length === blocks.length ? texts.join('\n') : undefined;
}
