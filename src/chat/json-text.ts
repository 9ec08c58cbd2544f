import { JsonNumber, readExactJson } from '../base/index.js';
import { checkJsonText, type TemplateVariables } from '../jinja/index.js';
import { toCallArguments } from './calls/call-arguments.js';

/** Keys that no variable of a template has by chance. No JSON of a client becomes a variable with such a key. */
const VALUE = '\u0000json';
/** The same, for texts under the rule of arguments. */
const ARGUMENTS = '\u0000arguments';

/**
 * JSON text among the variables of a template. It is parsed at rendering, so that its numbers print as written and keys
 * keep their order. Until then it is plain data that can cross to another thread.
 */
export type JsonText =
  | {
      /** Any JSON. */
      readonly [VALUE]: string;
    }
  | {
      /** The arguments of a call. */
      readonly [ARGUMENTS]: string;
    };

/** The variable for a JSON text. A text that is not JSON is the variable itself. */
export function toJsonVariable(text: string): JsonText {
  return { [VALUE]: text };
}

/** The variable for the arguments of a call, by the rule of `toCallArguments`: an object, or the text itself. */
export function toArgumentsVariable(text: string): JsonText {
  return { [ARGUMENTS]: text };
}

/** The variables with every `JsonText` among them parsed (`ExactJson`). Errors: `prompt_too_large`. */
export function readJsonTexts({ now, ...variables }: TemplateVariables): TemplateVariables {
  const read = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, readTexts(value)]));
  return now === undefined ? read : { ...read, now };
}

function readTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof JsonNumber || value instanceof Map) return value;
  if (Array.isArray(value)) return value.map(readTexts);
  if (VALUE in value) return readText(String(value[VALUE]));
  if (ARGUMENTS in value) {
    const text = String(value[ARGUMENTS]);
    checkJsonText(text);
    const json = toCallArguments(text);
    return json === undefined ? text : readText(json);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readTexts(item)]));
}

/** A text that is not JSON stays a text. */
function readText(text: string): unknown {
  checkJsonText(text);
  const value = readExactJson(text);
  return value === undefined ? text : value;
}
