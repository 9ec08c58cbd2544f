import { JsonMachine } from './json-machine.js';

/**
 * The one rule for the arguments of a call, of any author: they are a JSON object. `text` is the JSON text of a value.
 * An object keeps its text, with strings repaired (`JsonMachine`). An empty text, blanks and `null` become `{}`. A
 * string with the text of one of these counts as that. Anything else (an array, a number, no JSON) gives undefined: no
 * arguments.
 */
export function toCallArguments(text: string): string | undefined {
  const value = text.trim();
  return value.startsWith('"') ? fromString(value) : fromObject(value);
}

function fromString(text: string): string | undefined {
  const repaired = repairJson(text);
  const held: unknown = repaired === undefined ? undefined : JSON.parse(repaired);
  return typeof held === 'string' ? fromObject(held.trim()) : undefined;
}

function fromObject(text: string): string | undefined {
  if (text === '' || text === 'null') return '{}';
  return text.startsWith('{') ? repairJson(text) : undefined;
}

/** One JSON value with its strings repaired; undefined for any other text. */
export function repairJson(text: string): string | undefined {
  if (isJson(text)) return text;
  const machine = new JsonMachine();
  let repaired = '';
  for (let i = 0; i < text.length; i++) {
    const written = machine.push(text.charAt(i));
    if (written === undefined) return undefined;
    repaired += written;
  }
  return machine.done ? repaired : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
