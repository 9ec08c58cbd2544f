// Edits of a gateway.yaml as data, and their effect on the file's values: the slow twin of the edit of its text.
import { AppError, suggestion } from '../../../base/index.js';

/** A list whose entries have ids. */
export type ConfigList = 'runtimes' | 'models' | 'virtual_keys';

/** Fields as in the file: those with a default may be left out. The edited file is checked as a whole. */
export type WrittenFields = Readonly<Record<string, unknown>>;

/** One change of a gateway.yaml. */
export type ConfigEdit =
  /** At the end of its list. */
  | { readonly action: 'add'; readonly list: ConfigList; readonly entry: WrittenFields & { readonly id: string } }
  /** Sets each of `fields` whole and removes `without`. Other fields stay. */
  | {
      readonly action: 'change';
      readonly list: ConfigList;
      readonly id: string;
      readonly fields: WrittenFields;
      readonly without?: readonly string[];
    }
  | { readonly action: 'remove'; readonly list: ConfigList; readonly id: string }
  /** A field of the file that is not a list with ids. */
  | {
      readonly action: 'set';
      readonly field: 'gateway_id' | 'listen' | 'data_dir' | 'passthrough' | 'cors_origins' | 'limits' | 'retention';
      readonly value: unknown;
    };

/** A file as plain values, without defaults. */
export type WrittenFile = Readonly<Record<string, unknown>>;

/**
 * The values of a file after `edits`, in order. Errors: `gateway_config_edit` for an id that is missing, or that exists
 * already. Ids of `file` are unique.
 */
export function editValues(file: WrittenFile, edits: readonly ConfigEdit[]): WrittenFile {
  const fields: Record<string, unknown> = { ...file };
  const lists = new Map<ConfigList, Map<string, WrittenFields>>();
  for (const edit of edits) {
    if (edit.action === 'set') {
      fields[edit.field] = edit.value;
      continue;
    }
    const { list } = edit;
    const entries = lists.get(list) ?? new Map(entriesOf(file, list).map((entry) => [String(entry['id']), entry]));
    lists.set(list, editEntries(entries, edit));
  }
  for (const [list, entries] of lists) fields[list] = [...entries.values()];
  return fields;
}

/** The entries of a list; none where the file does not have it. */
export function entriesOf(file: WrittenFile, list: ConfigList): readonly WrittenFields[] {
  const given = file[list];
  return Array.isArray(given) ? given : [];
}

/** Changes `entries`, by id in their order, or makes them anew where an id changes. */
function editEntries(
  entries: Map<string, WrittenFields>,
  edit: Exclude<ConfigEdit, { action: 'set' }>,
): Map<string, WrittenFields> {
  if (edit.action === 'add') {
    const { list, entry } = edit;
    refuseTaken(entries, list, entry.id);
    return entries.set(entry.id, withoutUndefined(entry));
  }
  const { list, id } = edit;
  const before = entries.get(id);
  if (before === undefined) throw unknownEntry(list, id, [...entries.keys()]);
  if (edit.action === 'remove') {
    entries.delete(id);
    return entries;
  }
  const { fields, without = [] } = edit;
  const changed = Object.entries({ ...before, ...withoutUndefined(fields) });
  const after: WrittenFields = Object.fromEntries(changed.filter(([name]) => !without.includes(name)));
  const newId = String(after['id']);
  if (newId === id) return entries.set(id, after);
  refuseTaken(entries, list, newId);
  return new Map(Array.from(entries, ([each, entry]) => (each === id ? [newId, after] : [each, entry])));
}

function refuseTaken(entries: ReadonlyMap<string, unknown>, list: ConfigList, id: string): void {
  if (!entries.has(id)) return;
  throw new AppError('gateway_config_edit', `${list} has an entry ${id} already; change it, or choose another id`);
}

/** The same value as JSON has it. */
export function withoutUndefined(value: WrittenFields): WrittenFields {
  const parsed: unknown = JSON.parse(JSON.stringify(value));
  return Object(parsed) as WrittenFields;
}

/** `gateway_config_edit`: a list has no entry of an id. */
function unknownEntry(list: string, id: string, ids: readonly string[]): AppError {
  return new AppError('gateway_config_edit', `${list} has no entry ${id.slice(0, 64)}.${suggestion(id, ids)}`, {
    list,
  });
}
