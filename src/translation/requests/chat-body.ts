// A chat completions request as text, member by member: schemas stand in it as their client wrote them.
import { itemSources, memberSources, stringifyInOrder } from '../../base/index.js';
import { isFields, type Fields } from './fields.js';

/** The text of the members of a request, by their names. */
export type ChatMembers = Map<string, string>;

/** The JSON of a request. `more`: members that differ from target to target. */
export function toChatJson(members: ReadonlyMap<string, string>, more: Fields): string {
  const added = Object.entries(more).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const own = Array.from(members, ([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${[...added, ...own].join(',')}}`;
}

/** Sets members; one of undefined is left out. */
export function setMembers(members: ChatMembers, fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) members.set(name, toText(value));
}

/** Sets all members of a body that are not `own` to its API, as they are: fields of local servers, such as `min_p`. */
export function passMembers(members: ChatMembers, body: Fields, own: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(body)) if (!own.has(name)) members.set(name, toText(value));
}

function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? stringifyInOrder(value) : JSON.stringify(value);
}

/** A function as chat completions have it, as text. `parameters`: the text of a schema; undefined: it has none. */
export function toFunctionText(tool: FunctionFields): string {
  const { name, description, parameters, strict } = tool;
  const fields = [
    `"name":${JSON.stringify(name)}`,
    ...(description === undefined || description === '' ? [] : [`"description":${JSON.stringify(description)}`]),
    ...(parameters === undefined ? [] : [`"parameters":${parameters}`]),
    ...(strict === undefined ? [] : [`"strict":${strict}`]),
  ];
  return `{"type":"function","function":{${fields.join(',')}}}`;
}

/** What a function has. */
export interface FunctionFields {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON text. */
  readonly parameters?: string | undefined;
  readonly strict?: boolean | undefined;
}

/**
 * The text of a value: as it was written where parsing changes it, since keys like "10" move to the front and numbers beyond
 * 2^53 are rounded. `written`: finds the text; it is only asked then.
 */
export function exactText(value: unknown, written: () => string | undefined): string {
  return isExact(value) ? JSON.stringify(value) : (written() ?? toText(value));
}

const INDEX = /^(?:0|[1-9]\d{0,9})$/;

function isExact(value: unknown): boolean {
  if (typeof value === 'number')
    return Number.isInteger(value) ? Number.isSafeInteger(value) : String(value).length < 16;
  if (Array.isArray(value)) return value.every(isExact);
  if (!isFields(value)) return true;
  return Object.entries(value).every(([name, member]) => !INDEX.test(name) && isExact(member));
}

/** The text of a member of an item of a list, each as it is written; undefined: there is none. */
export function memberText(list: string | undefined, index: number, name: string): string | undefined {
  const item = list === undefined ? undefined : itemSources(list)[index];
  return item?.startsWith('{') === true ? memberSources(item).get(name) : undefined;
}
