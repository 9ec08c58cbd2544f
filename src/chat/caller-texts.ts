import type { TemplateVariables } from '../jinja/index.js';

/**
 * Changes one text. `isTurn`: it is a user's or assistant's message, in which templates look for tags such as
 * `</think>`.
 */
export type ChangeText = (text: string, isTurn: boolean) => string;

/** Variables from the model's own files, and the time. */
const OWN_VARIABLES: ReadonlySet<string> = new Set(['bos_token', 'eos_token', 'now']);
const TURN_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant']);
const TURN_FIELDS: ReadonlySet<string> = new Set(['content', 'reasoning_content']);

/**
 * The variables with each text of the caller changed, keys of objects too. Roles stay: the template compares them, and
 * they are a closed set. Names of variables and the model's own variables stay too.
 */
export function changeCallerTexts(variables: TemplateVariables, change: ChangeText): TemplateVariables {
  const changed = Object.entries(variables).map(([name, value]) => {
    if (OWN_VARIABLES.has(name)) return [name, value];
    if (name === 'messages' && Array.isArray(value))
      return [name, value.map((message) => changeMessage(message, change))];
    return [name, changeValue(value, change, false)];
  });
  return Object.fromEntries(changed) as TemplateVariables;
}

function changeMessage(message: unknown, change: ChangeText): unknown {
  if (typeof message !== 'object' || message === null) return changeValue(message, change, false);
  const role: unknown = Reflect.get(message, 'role');
  const fields = Object.entries(message).map(([field, value]) => {
    if (field === 'role') return [field, value];
    return [field, changeValue(value, change, TURN_ROLES.has(role) && TURN_FIELDS.has(field))];
  });
  return Object.fromEntries(fields) as unknown;
}

function changeValue(value: unknown, change: ChangeText, isTurn: boolean): unknown {
  if (typeof value === 'string') return change(value, isTurn);
  if (Array.isArray(value)) return value.map((item) => changeValue(item, change, isTurn));
  if (value instanceof Map) {
    return new Map(
      Array.from(value, ([key, item]) => [changeValue(key, change, false), changeValue(item, change, isTurn)]),
    );
  }
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [change(key, false), changeValue(item, change, isTurn)]);
  return Object.fromEntries(entries) as unknown;
}

/** Whether it is a plain object, not an instance of a class. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
