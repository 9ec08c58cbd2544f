import { describe, nearest, unknownName } from '../../base/index.js';
import { ChatCompletionRequest } from '../request-schemas.js';
import { ignoredFields } from './ignored-fields.js';
import { parseChatCompletionRequest } from './parse-chat-request.js';
import { unsupportedValue } from './request-errors.js';
import { unsupportedFieldNames } from './unsupported-fields.js';

/** The keywords of JSON Schema that this reader uses. */
interface Shape {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly items?: object;
  readonly anyOf?: readonly object[];
}

/** Where a message has the function of a call. */
const CALLED = /^messages\[\d+\]\.(tool_calls\[\d+\]\.function|function_call)$/;
/** Additions of OpenAI's clients to the answers that they return. */
const OF_ANSWERS: readonly string[] = ['parsed_arguments'];
const beside: readonly string[] = [...unsupportedFieldNames, ...ignoredFields];

/**
 * A request of a program in the same process, whose author can correct it. Unlike `parseChatCompletionRequest`, it
 * refuses an unknown field with the nearest name, and null means absent in messages and tools too. Within messages and
 * tools it refuses only likely slips: the answers of other servers, sent back, have fields of their own. Its defaults
 * of sampling are those of a conversation. Errors: those, and `unknown_parameter`.
 */
export function parseStrictChatRequest(value: unknown): ChatCompletionRequest {
  const tidied = tidy(ChatCompletionRequest, value, '');
  refuseOthers(tidied);
  return { sampling_defaults: 'chat', ...parseChatCompletionRequest(tidied) };
}

/** Over a wire tools and calls of other types are left out; a program's author can mend them. Errors: `unsupported_value`. */
function refuseOthers(request: unknown): void {
  const { tools, messages } = (typeof request === 'object' && request !== null ? request : {}) as Record<
    string,
    unknown
  >;
  refuseTypes(tools, 'tools');
  if (!Array.isArray(messages)) return;
  messages.forEach((message: unknown, index) => {
    const calls: unknown =
      typeof message === 'object' && message !== null ? Reflect.get(message, 'tool_calls') : undefined;
    refuseTypes(calls, `messages[${index}].tool_calls`);
  });
}

function refuseTypes(list: unknown, path: string): void {
  if (!Array.isArray(list)) return;
  list.forEach((entry: unknown, index) => {
    const type: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'type') : undefined;
    if (typeof type !== 'string' || type === 'function') return;
    const param = `${path}[${index}].type`;
    throw unsupportedValue(param, `is ${describe(type, true)}; only "function" tools work`);
  });
}

function tidy(schema: object, value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const branches: Shape[] = [schema, ...((schema as Shape).anyOf ?? [])];
  if (Array.isArray(value)) {
    const items = branches.find((branch) => branch.items !== undefined)?.items;
    return items === undefined ? value : value.map((item, index) => tidy(items, item, `${path}[${index}]`));
  }
  const { properties, required = [] } = branches.find((branch) => branch.properties !== undefined) ?? {};
  if (properties === undefined) return value;
  const entries = Object.entries(value).filter(([name, field]) => isThere(field) || required.includes(name));
  for (const [name] of entries) checkName(name, path, value, Object.keys(properties));
  return Object.fromEntries(
    entries.map(([name, field]) => {
      const inside = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, inside === undefined ? field : tidy(inside, field, path === '' ? name : `${path}.${name}`)];
    }),
  );
}

function isThere(field: unknown): boolean {
  return field !== null && field !== undefined;
}

/** Errors: `unknown_parameter`. */
function checkName(name: string, path: string, value: object, known: readonly string[]): void {
  if (known.includes(name)) return;
  if (path === '') {
    if (beside.includes(name)) return;
    throw unknownName('a field of a chat request', name, [...known, ...beside], 'unknown_parameter');
  }
  // The function of a call reaches the prompt: a wrong name would lose arguments in silence.
  if (CALLED.test(path)) {
    if (OF_ANSWERS.includes(name)) return;
    throw unknownName(`a field of ${path}`, name, known, 'unknown_parameter');
  }
  // A quarter of the letters: closer than a field of another server comes by chance.
  const meant = nearest(name, known, Math.ceil(name.length / 4));
  if (meant === undefined || Object.hasOwn(value, meant)) return;
  throw unknownName(`a field of ${path}`, name, [meant], 'unknown_parameter');
}
