// Changes of a configuration file, entry by entry, with the values before and after, for the audit log of any product.
import { createHash } from 'node:crypto';
import { compareFacts, type FactChange, type Facts } from './audit-changes.js';

/** A configuration file as the audit log compares it. It has no secret, but for hashes of keys, which no entry shows. */
export interface FileFacts {
  /** The lists of the file by their names, each with its entries by id. */
  readonly lists: Readonly<Record<string, Facts>>;
  /** Every other field. */
  readonly fields: Facts;
}

/** One entry or field of the file that changed. */
export interface FileChange extends FactChange {
  /** The part of the file: the name of a list, or of a field of the file itself. */
  readonly of: string;
  /** Of an entry of a list. */
  readonly id?: string;
  /** For people. */
  readonly name?: string;
}

/** Changes of the file in one entry of the audit log. `left_out`: changes beyond the limit of one entry. */
export interface FileChanges {
  readonly changes: readonly FileChange[];
  readonly left_out?: number;
}

/** Characters of JSON of all changes of one entry: fewer than the limit of the audit log. */
const MAX_CHARACTERS = 14_000;
/** Of one text. */
const MAX_TEXT = 500;
/** Characters of a digest: enough to tell two addresses of a webhook apart. */
const DIGEST = 8;

/** How `after` differs from `before`. A hash is a secret's: it is only said that it is another. */
export function compareFiles(before: FileFacts, after: FileFacts): FileChanges {
  const changes = [...compareLists(before.lists, after.lists), ...compareFields(before.fields, after.fields)];
  let size = 0;
  const kept = changes.filter((change) => (size += JSON.stringify(change).length) <= MAX_CHARACTERS);
  return { changes: kept, ...(kept.length < changes.length && { left_out: changes.length - kept.length }) };
}

function compareLists(before: FileFacts['lists'], after: FileFacts['lists']): readonly FileChange[] {
  return namesOf(before, after).flatMap((of) => {
    const [old, now] = [before[of] ?? {}, after[of] ?? {}];
    return namesOf(old, now).flatMap((id) => {
      const [was, is] = [old[id], now[id]].map((entry) => entry as Facts | undefined);
      const change = compareEntry(was, is);
      if (change === undefined) return [];
      const name = is?.['name'] ?? was?.['name'];
      return [{ of, id, ...(typeof name === 'string' && { name }), ...change }];
    });
  });
}

function compareEntry(before: Facts | undefined, after: Facts | undefined): FactChange | undefined {
  if (before === undefined || after === undefined) {
    return {
      before: before === undefined ? null : hideHash(before),
      after: after === undefined ? null : hideHash(after),
    };
  }
  const change = compareFacts(before, after);
  if (Object.keys(change.after ?? {}).length === 0) return undefined;
  return { before: hideHash(change.before ?? {}), after: hideHash(change.after ?? {}, 'another') };
}

function hideHash(facts: Facts, shown = 'hidden'): Facts {
  return Object.hasOwn(facts, 'hash') ? { ...facts, hash: shown } : facts;
}

function compareFields(before: Facts, after: Facts): readonly FileChange[] {
  return namesOf(before, after).flatMap((of) => {
    const change = compareFacts(partsOf(before[of]), partsOf(after[of]));
    return Object.keys(change.after ?? {}).length === 0 ? [] : [{ of, ...change }];
  });
}

/** A field with fields of its own is compared by these. */
function partsOf(value: unknown): Facts {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isPlain ? (value as Facts) : { value: value ?? null };
}

function namesOf(before: object, after: object): readonly string[] {
  return Object.keys({ ...before, ...after });
}

/** A configuration in the program's own form: its fields under the names of the file, and lists of entries with an `id` apart. */
export function toFileFacts(config: object, lists: readonly string[]): FileFacts {
  const facts = toFacts(config);
  const entriesOf = (list: string): Facts => {
    const entries = (facts[list] ?? []) as readonly Facts[];
    return Object.fromEntries(entries.map(({ id, ...fields }) => [String(id), fields]));
  };
  return {
    lists: Object.fromEntries(lists.map((list) => [list, entriesOf(list)])),
    fields: Object.fromEntries(Object.entries(facts).filter(([name]) => !lists.includes(name))),
  };
}

/** Values as JSON has them, under the names of the file. A place of a secret is a text, such as `env NAME`. */
function toFacts(fields: object): Facts {
  return toPlain(fields) as Facts;
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'string') return shownText(value);
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const place = placeOfSecret(value);
  if (place !== undefined) return place;
  const entries = Object.entries(value).map(([name, each]) => {
    const isWebhooks = name === 'webhooks' && Array.isArray(each);
    return [toSnake(name), toPlain(isWebhooks ? each.map(hideAddress) : each)] as const;
  });
  return Object.fromEntries(entries);
}

/** The path of a webhook's URL may be its secret: its place stands for it, and a digest that another address changes. */
function hideAddress(webhook: unknown): unknown {
  const url: unknown = Reflect.get(Object(webhook) as object, 'url');
  if (typeof url !== 'string' || !URL.canParse(url)) return webhook;
  const digest = createHash('sha256').update(url).digest('hex').slice(0, DIGEST);
  return { ...Object(webhook), url: `${new URL(url).origin}/… (${digest})` };
}

function shownText(text: string): string {
  const plain = withoutUrlSecrets(text);
  return plain.length > MAX_TEXT ? `${plain.slice(0, MAX_TEXT)}…` : plain;
}

/** A text; of a URL neither a password nor a query, since both may be secrets. */
export function withoutUrlSecrets(text: string): string {
  return /^https?:/i.test(text) ? text.replace(/\/\/[^/?#]*@/, '//…@').replace(/\?.*$/s, '?…') : text;
}

/** Where a value says that a secret lies. A configuration never has the secret itself. */
function placeOfSecret(value: object): string | undefined {
  const { from, name, path } = value as Readonly<Record<'from' | 'name' | 'path', unknown>>;
  return from === 'env' ? `env ${String(name)}` : from === 'file' ? `file ${String(path)}` : undefined;
}

function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
