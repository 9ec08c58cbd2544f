// Edits of a gateway.yaml as data, and what each makes of the file's values: the slow twin of the edit of its text.
import { AppError } from '../../../base/index.js';
import { unknownEntry } from './unknown-entry.js';

/** A list whose entries have ids. */
export type ConfigList = 'runtimes' | 'models' | 'virtual_keys';

/** Fields as the file has them: those with a default may be left out. The edited file is checked as a whole. */
export type WrittenFields = Readonly<Record<string, unknown>>;

/** One change of a gateway.yaml. */
export type ConfigEdit =
  /** At the end of its list. */
  | { readonly action: 'add'; readonly list: ConfigList; readonly entry: WrittenFields & { readonly id: string } }
  /** Each of `fields` becomes as it is given, as a whole; `without` are taken out. Others stay. */
  | {
      readonly action: 'change';
      readonly list: ConfigList;
      readonly id: string;
      readonly fields: WrittenFields;
      readonly without?: readonly string[];
    }
  | { readonly action: 'remove'; readonly list: ConfigList; readonly id: string }
  /** A field of the file itself that is no list with ids. */
  | {
      readonly action: 'set';
      readonly field: 'gateway_id' | 'listen' | 'data_dir' | 'passthrough' | 'cors_origins' | 'limits' | 'retention';
      readonly value: unknown;
    };

/** A file as plain values, without defaults. */
export type WrittenFile = Readonly<Record<string, unknown>>;

/** The values of a file after an edit. Errors: `gateway_config_edit` where there is no entry of the id, or one already. */
export function editValues(file: WrittenFile, edit: ConfigEdit): WrittenFile {
  if (edit.action === 'set') return { ...file, [edit.field]: edit.value };
  return { ...file, [edit.list]: editEntries(entriesOf(file, edit.list), edit) };
}

/** The entries of a list; none where the file does not have it. */
export function entriesOf(file: WrittenFile, list: ConfigList): readonly WrittenFields[] {
  const given = file[list];
  return Array.isArray(given) ? given : [];
}

function editEntries(entries: readonly WrittenFields[], edit: Exclude<ConfigEdit, { action: 'set' }>): unknown[] {
  const ids = entries.map(({ id }) => String(id));
  if (edit.action === 'add') {
    if (!ids.includes(edit.entry.id)) return [...entries, withoutUndefined(edit.entry)];
    throw new AppError(
      'gateway_config_edit',
      `${edit.list} has an entry ${edit.entry.id} already; change it, or choose another id`,
    );
  }
  if (!ids.includes(edit.id)) throw unknownEntry(edit.list, edit.id, ids);
  if (edit.action === 'remove') return entries.filter((_, i) => ids[i] !== edit.id);
  const { fields, without = [] } = edit;
  return entries.map((entry, i) => {
    if (ids[i] !== edit.id) return entry;
    const changed = Object.entries({ ...entry, ...withoutUndefined(fields) });
    return Object.fromEntries(changed.filter(([name]) => !without.includes(name)));
  });
}

/** The same value as JSON has it. */
export function withoutUndefined(value: WrittenFields): WrittenFields {
  const parsed: unknown = JSON.parse(JSON.stringify(value));
  return Object(parsed) as WrittenFields;
}
