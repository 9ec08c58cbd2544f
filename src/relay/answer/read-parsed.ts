import { isRecord, type JsonRecord } from '../usage/json-record.js';
import type { PathNode } from './answer-paths.js';
import type { AnswerTexts } from './answer-texts.js';

/** Deepest path of an answer that is read, with room: a text in a part in a content in a message in a choice. */
const MAX_PATH = 16;

/**
 * Adds the texts that an object of JSON has at the paths of `tree`, under `prefix`. A list item with an `index` counts under that
 * index: a chunk has one choice, with its index.
 */
export function readParsedTexts(data: JsonRecord, tree: PathNode, prefix: string, texts: AnswerTexts): void {
  const place = prefix === '' ? [] : [prefix];
  const shift = place.length;
  const read = (value: unknown, node: PathNode): void => {
    const { use, same, members } = node;
    const text = use === 'text' || use === 'value' ? textOf(value, use) : undefined;
    if (text !== undefined) texts.add(place, text, same === undefined ? undefined : same + shift);
    else if (place.length >= MAX_PATH) return;
    else if (Array.isArray(value)) {
      const item = members.get('*');
      if (item === undefined) return;
      for (const [position, one] of (value as readonly unknown[]).entries()) {
        place.push(String(indexOf(one) ?? position));
        read(one, item);
        place.pop();
      }
    } else if (isRecord(value)) {
      for (const [name, next] of members) {
        if (!Object.hasOwn(value, name)) continue;
        place.push(name);
        read(value[name], next);
        place.pop();
      }
    }
  };
  read(data, tree);
}

function textOf(value: unknown, use: 'text' | 'value'): string | undefined {
  if (typeof value === 'string') return value;
  return use === 'value' && typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined;
}

function indexOf(item: unknown): number | undefined {
  const index = isRecord(item) ? item['index'] : undefined;
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : undefined;
}
