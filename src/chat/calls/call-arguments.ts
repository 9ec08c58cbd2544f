import { JsonMachine } from './json-machine.js';

/**
 * The one rule for the arguments of a call, whoever wrote them: they are a JSON object. `text` is the JSON text of a value.
 * An object stays as it is written, its strings repaired (`JsonMachine`). Nothing, blanks and `null` are `{}`. A string that
 * holds the text of one of these stands for it. Anything else (an array, a number, no JSON) is undefined: no arguments.
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

/** One JSON value with its strings repaired; undefined for what is none. */
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
