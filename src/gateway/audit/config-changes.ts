// Changes of a gateway.yaml, entry by entry, with the values before and after, for the audit log.
import { compareFacts, keyFacts, type FactChange, type Facts } from '../../metering/index.js';
import type { SecretSource } from '../../yaml-file/index.js';
import type { GatewayConfig, VirtualKeyConfig } from '../config/index.js';
import { toKeyLimits } from '../routing/key-definitions.js';

/** One entry or field of the file that changed. */
export interface ConfigChange extends FactChange {
  /** The part of the file: `runtimes`, `models`, `virtual_keys`, or a field of the file itself. */
  readonly of: string;
  /** Of an entry of a list. */
  readonly id?: string;
  /** For people. */
  readonly name?: string;
}

/** Changes of the file in one entry of the audit log. `left_out`: changes beyond the limit of one entry. */
export interface ConfigChanges {
  readonly changes: readonly ConfigChange[];
  readonly left_out?: number;
}

/** Characters of JSON of all changes of one entry: fewer than the limit of the audit log. */
const MAX_CHARACTERS = 14_000;
/** Of one text. */
const MAX_TEXT = 500;
const LISTS = { runtimes: 'runtimes', models: 'models', virtualKeys: 'virtual_keys' } as const;
type List = keyof typeof LISTS;

/** How `after` differs from `before`. A hash is a secret's: it is only said that it is another. */
export function compareConfigs(before: GatewayConfig, after: GatewayConfig): ConfigChanges {
  const changes = [
    ...(Object.keys(LISTS) as List[]).flatMap((list) => compareLists(list, before, after)),
    ...compareFields(before, after),
  ];
  let size = 0;
  const kept = changes.filter((change) => (size += JSON.stringify(change).length) <= MAX_CHARACTERS);
  return { changes: kept, ...(kept.length < changes.length && { left_out: changes.length - kept.length }) };
}

function compareLists(list: List, before: GatewayConfig, after: GatewayConfig): readonly ConfigChange[] {
  const [old, now] = [entriesOf(list, before), entriesOf(list, after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((id) => {
    const [was, is] = [old.get(id), now.get(id)];
    const change = compareEntry(was, is);
    if (change === undefined) return [];
    const name = is?.['name'] ?? was?.['name'];
    return [{ of: LISTS[list], id, ...(typeof name === 'string' && { name }), ...change }];
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

/** The entries of a list by their ids, without the ids. */
function entriesOf(list: List, config: GatewayConfig): ReadonlyMap<string, Facts> {
  if (list === 'virtualKeys') return new Map(config.virtualKeys.map((key) => [key.id, toKeyFacts(key)]));
  const entries: readonly { readonly id: string }[] = config[list];
  return new Map(entries.map(({ id, ...fields }) => [id, toFacts(fields)]));
}

function toKeyFacts({ limits, prefix, hash, ...rules }: VirtualKeyConfig): Facts {
  return { ...keyFacts({ ...rules, limits: toKeyLimits(limits) }), prefix, hash };
}

/** Every field of the file that is no list of entries. */
function compareFields(before: GatewayConfig, after: GatewayConfig): readonly ConfigChange[] {
  const facts = (config: GatewayConfig): Facts =>
    toFacts(Object.fromEntries(Object.entries(config).filter(([name]) => !Object.hasOwn(LISTS, name))));
  const [old, now] = [facts(before), facts(after)];
  return Object.keys({ ...old, ...now }).flatMap((of) => {
    const [was, is] = [partsOf(old[of]), partsOf(now[of])];
    const change = compareFacts(was, is);
    return Object.keys(change.after ?? {}).length === 0 ? [] : [{ of, ...change }];
  });
}

/** A field with fields of its own is compared by these. */
function partsOf(value: unknown): Facts {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isPlain ? (value as Facts) : { value: value ?? null };
}

/** Values as JSON has them, under the names of the file. */
function toFacts(fields: object): Facts {
  return toPlain(fields) as Facts;
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'string') return shownText(value);
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (isSecretSource(value)) return value.from === 'env' ? `env ${value.name}` : `file ${value.path}`;
  const entries = Object.entries(value).map(([name, each]) => [toSnake(name), toPlain(each)] as const);
  return Object.fromEntries(entries);
}

/** Of a URL neither a password nor a query is shown: both may be secrets. */
function shownText(text: string): string {
  const plain = /^https?:/i.test(text) ? text.replace(/\/\/[^/?#]*@/, '//…@').replace(/\?.*$/s, '?…') : text;
  return plain.length > MAX_TEXT ? `${plain.slice(0, MAX_TEXT)}…` : plain;
}

/** Whether a value says where a secret lies. The file never has the secret itself. */
function isSecretSource(value: object): value is SecretSource {
  const from: unknown = Reflect.get(value, 'from');
  return from === 'env' || from === 'file';
}

function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
