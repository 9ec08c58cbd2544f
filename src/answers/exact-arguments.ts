import { isJsonObject } from '../base/index.js';
import { randomBytes } from 'node:crypto';

/** Key of an object's original JSON text: no JSON has a symbol for a key. */
const SOURCE = Symbol('source');

/**
 * The arguments of a call as an object that keeps its original text. Parsing alone would move keys like "10" to the
 * front and round numbers beyond 2^53. Text that is no object becomes the only argument; no model's dialect gives out
 * such text.
 */
export function toExactArguments(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return Object.defineProperty(value, SOURCE, { value: withoutSpace(text) });
  } catch {
    // Not JSON: the text itself becomes the argument.
  }
  return { arguments: text };
}

/** The JSON of an answer, with arguments as they were written. */
export function toExactJson(answer: object): string {
  const texts: string[] = [];
  // The mark is random, so a client that does not know it cannot write it into an answer.
  const mark = randomBytes(16).toString('hex');
  const json = JSON.stringify(answer, (_, value: unknown) => {
    if (!isJsonObject(value)) return value;
    const text: unknown = Reflect.get(value, SOURCE);
    return typeof text === 'string' ? `${mark}${texts.push(text) - 1}` : value;
  });
  return json.replaceAll(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, index: string) => texts[Number(index)] ?? '{}');
}

/** Removes the space between tokens: a line of a stream has no line breaks. */
function withoutSpace(json: string): string {
  return json.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, (_, text: string | undefined) => text ?? '');
}
