import { countText } from './amounts.js';

/** The word for so many things: `request` for 1, `requests` for any other number. `many` absent: `one` with an s. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}

/** A number and the word for so many things in a text: `1 model`, `1,200 models`. */
export function counted(count: number, one: string, many?: string): string {
  return `${countText(count)} ${plural(count, one, many)}`;
}
