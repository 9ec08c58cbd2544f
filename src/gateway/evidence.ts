import { assert, isError, parseStrictJson } from '../base/index.js';

/** A GET that discovery may send: a path without a query. */
export type ProbePath = `/${string}`;

/** The answer to a GET: whole, within the limit, in UTF-8 and not compressed. */
export interface ProbeAnswer {
  readonly status: number;
  /** The media type alone, in lower case; '' if absent. */
  readonly contentType: string;
  /** The product that the Server header names first, without its version; '' if absent. */
  readonly server: string;
  /** The header that identifies a gateway of this package; '' if absent. */
  readonly gatewayId: string;
  readonly body: string;
  /** The body as JSON, parsed once; undefined where it is none. */
  json(): unknown;
}

/** The header by which a gateway recognises another gateway, and itself. */
export const GATEWAY_ID_HEADER = 'x-gateway-id';

/** The list of models that every server with OpenAI's API has. */
export const MODELS_PATH = '/v1/models';

/** The answers to the probes of one kind. */
export interface Evidence {
  readonly port: number;
  /** undefined: no answer that can be read. */
  answer(path: ProbePath): ProbeAnswer | undefined;
  /** The JSON value of an answer with this status; undefined where it is anything else. */
  json(path: ProbePath, status?: number): unknown;
  /** The text of an answer with status 200, trimmed. */
  text(path: ProbePath): string | undefined;
  /** The ids in OpenAI's model list; undefined where the answer is not such a list. */
  models(path: ProbePath): readonly string[] | undefined;
  /** Whether a key is asked for, in JSON as an API does and not as a web page: for kinds that nothing else proves. */
  wantsKey(path: ProbePath): boolean;
  /** Whether a key is asked for in any way. */
  isLocked(path: ProbePath): boolean;
}

/** Far deeper than the answers of real runtimes, whose openapi.json has some 20 levels. */
const MAX_DEPTH = 64;
/** A router with thousands of models is a paid provider: an operator names the models to offer. */
const MAX_MODELS = 4_096;
/**
 * Names go to terminals, pages and the configuration: a text that is not printable, or longer than a path, is not a
 * name.
 */
const MODEL_NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u;
const VERSION = /^[\x20-\x7e]{1,64}$/;

/** An answer from its parts; undefined where the body is not UTF-8. `headers` has names in lower case. */
export function createAnswer(
  status: number,
  headers: Readonly<Partial<Record<string, string | readonly string[]>>>,
  bytes: Uint8Array,
): ProbeAnswer | undefined {
  const field = (name: string): string => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return typeof value === 'string' ? value : '';
  };
  let body: string;
  try {
    body = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
  let parsed: { readonly value: unknown } | undefined;
  return {
    status,
    body,
    contentType: /^[^;]*/.exec(field('content-type').trim().toLowerCase())?.[0].trim() ?? '',
    server: /^[\w.-]{1,32}/.exec(field('server'))?.[0].toLowerCase() ?? '',
    gatewayId: field(GATEWAY_ID_HEADER),
    json: () => (parsed ??= { value: parseJson(bytes) }).value,
  };
}

/** The evidence of `answers`, of which only `probes` may be read. */
export function createEvidence(
  port: number,
  probes: readonly ProbePath[],
  answers: ReadonlyMap<string, ProbeAnswer>,
): Evidence {
  const answer = (path: ProbePath): ProbeAnswer | undefined => {
    assert(probes.includes(path), `${path} is read and is no probe of its kind`);
    return answers.get(path);
  };
  const json = (path: ProbePath, status = 200): unknown => {
    const found = answer(path);
    return found?.status === status ? found.json() : undefined;
  };
  return {
    port,
    answer,
    json,
    text: (path) => (answer(path)?.status === 200 ? answer(path)?.body.trim() : undefined),
    models: (path) => readModels(json(path)),
    isLocked: (path) => [401, 403].includes(answer(path)?.status ?? 0),
    wantsKey: (path) => isRecord(json(path, 401)) || isRecord(json(path, 403)),
  };
}

/** The value at `keys` within objects and arrays; undefined if absent. */
export function at(value: unknown, ...keys: readonly (string | number)[]): unknown {
  return keys.reduce((inner: unknown, key) => {
    return typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
      ? Reflect.get(inner, key)
      : undefined;
  }, value);
}

/** The string at `keys`, if it is one. */
export function textAt(value: unknown, ...keys: readonly (string | number)[]): string | undefined {
  const found = at(value, ...keys);
  return typeof found === 'string' ? found : undefined;
}

/** A version fit to be shown; undefined for anything else. */
export function versionAt(value: unknown, ...keys: readonly (string | number)[]): string | undefined {
  const found = textAt(value, ...keys);
  return found !== undefined && VERSION.test(found) ? found : undefined;
}

/** The items at `keys`; none if it is not a list. */
export function listAt(value: unknown, ...keys: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...keys);
  return Array.isArray(found) ? (found as unknown[]) : [];
}

/** Whether `value` is an object with all of `keys`. */
export function has(value: unknown, ...keys: readonly string[]): boolean {
  return isRecord(value) && keys.every((key) => Object.hasOwn(value, key));
}

/** Whether the list has models, and `owner` owns each. */
export function isOwnedBy(list: unknown, owner: string): boolean {
  const models = listAt(list, 'data');
  return models.length > 0 && models.every((model) => textAt(model, 'owned_by') === owner);
}

/** OpenAI's list: `{ object: 'list', data: [{ id }] }`. Ollama writes an empty one as null. */
function readModels(list: unknown): readonly string[] | undefined {
  if (textAt(list, 'object') !== 'list') return undefined;
  if (at(list, 'data') !== null && !Array.isArray(at(list, 'data'))) return undefined;
  const ids = listAt(list, 'data').map((model) => textAt(model, 'id'));
  if (ids.includes(undefined)) return undefined;
  const names = ids.filter((id): id is string => id !== undefined && MODEL_NAME.test(id));
  return [...new Set(names)].slice(0, MAX_MODELS);
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(bytes: Uint8Array): unknown {
  const refuse = (why: string): Error => new SyntaxError(why);
  try {
    return parseStrictJson(bytes, { maxDepth: MAX_DEPTH, forbiddenKeys: ['__proto__'] }, refuse);
  } catch (error) {
    if (isError(error) && error.name === 'SyntaxError') return undefined;
    throw error;
  }
}
