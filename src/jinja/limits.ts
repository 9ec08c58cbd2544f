import { AppError } from '../base/index.js';

// A thread that runs a template has a heap of fixed size. V8 ends the thread when the heap is full, and Node gives the
// thread 16 MiB more to end in (node_worker.cc, NearHeapLimit). A single allocation beyond these ends the whole process.
// So no value of a template may be that long, and no step may make such an array on its way.

/** Longest template source, in UTF-16 units. Published ones stay below 64 Ki; parsing is linear but not free. */
export const MAX_TEMPLATE_LENGTH = 1 << 20;
/** Longest text of a variable, of a value and of a prompt, in UTF-16 units: 8 MiB. English has a million tokens in it. */
export const MAX_TEXT_LENGTH = 1 << 22;
/** Longest text that a template takes apart by characters, in UTF-16 units: an array of it has at most 12 MiB. */
export const MAX_SPLIT_LENGTH = 1 << 19;
/** Longest list, and most parts of a text that is split: tables of as many keys stay below 16 MiB. */
export const MAX_LIST_LENGTH = 1 << 18;
/** Values of all variables together, lists and objects among them. */
export const MAX_VARIABLES = 1 << 19;

/** Errors: `prompt_too_large`. */
export function checkTextLength(length: number): void {
  if (length > MAX_TEXT_LENGTH) throw conversationTooLarge('text', length, MAX_TEXT_LENGTH);
}

/** Errors: `template_error`. */
export function checkListLength(length: number): void {
  if (length <= MAX_LIST_LENGTH) return;
  const message = `the chat template made a list of ${length} items; the limit is ${MAX_LIST_LENGTH}`;
  throw new AppError('template_error', message, { length, limit: MAX_LIST_LENGTH });
}

/** `parts.join(separator)`. Errors: `prompt_too_large`, before any memory is taken. */
export function joinBounded(parts: readonly string[], separator: string): string {
  let length = separator.length * Math.max(0, parts.length - 1);
  for (const part of parts) length += part.length;
  checkTextLength(length);
  return parts.join(separator);
}

/** `text.split(separator)` of at most `most` cuts. Errors: `template_error` for more parts than a list may have. */
export function splitText(text: string, separator: string, most = Infinity): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(separator); at !== -1 && parts.length < most; at = text.indexOf(separator, from)) {
    parts.push(text.slice(from, at));
    checkListLength(parts.length);
    from = at + separator.length;
  }
  parts.push(text.slice(from));
  return parts;
}

/**
 * Refuses variables that are too large for a template's thread, before they are copied to it. Errors: `prompt_too_large`.
 */
export function checkVariables(variables: unknown): void {
  const open: unknown[] = [variables];
  let [values, units] = [0, 0];
  while (open.length > 0) {
    const value = open.pop();
    values++;
    if (values > MAX_VARIABLES) throw conversationTooLarge('conversation with values', values, MAX_VARIABLES);
    if (typeof value === 'string') checkTextLength((units += value.length));
    if (typeof value !== 'object' || value === null) continue;
    const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (items.length > MAX_LIST_LENGTH) throw conversationTooLarge('list', items.length, MAX_LIST_LENGTH);
    for (const item of items) open.push(item);
  }
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];

/** Refuses a JSON text whose values would make a list beyond the limit. Errors: `prompt_too_large`. */
export function checkJsonText(text: string): void {
  let values = 1;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) isInString = !isInString;
    else if (isInString && unit === BACKSLASH) at++;
    else if (!isInString && unit === COMMA) values++;
  }
  if (values > MAX_LIST_LENGTH) throw conversationTooLarge('JSON text with values', values, MAX_LIST_LENGTH);
}

/** Errors of this kind: a conversation, or what a template makes of it, is too large. */
export function conversationTooLarge(what: string, length: number, limit: number): AppError {
  const message = `the chat template was given a ${what} of length ${length}; the limit is ${limit}`;
  return new AppError('prompt_too_large', message, { length, limit });
}
