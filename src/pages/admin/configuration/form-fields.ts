// Derives the form of gateway.yaml from its schema: the fields, their limits and their meaning.
import { errorOf, fieldsOf, itemsOf, numberOf, readText, readWhole, textOf } from '../../data/index.js';
import type { FormField, SetField } from '../api/config-answers.js';

/** One value of the form, as text. */
export interface FormValue {
  /** `listen`, or `limits.body_mib`. */
  readonly path: string;
  readonly field: FormField;
  /** The name within a group; undefined if the field itself is the value. */
  readonly name: string | undefined;
  /** A label with the unit. */
  readonly label: string;
  readonly kind: 'text' | 'number' | 'lines';
  readonly hint: string;
  readonly min: number;
  readonly max: number;
  readonly standard: unknown;
}

const LABELS: Readonly<Record<string, string>> = {
  listen: 'Address and port for clients',
  'limits.body_mib': 'Largest body',
  'limits.header_kib': 'Largest headers',
  'limits.idle_stream_s': 'Longest silence of a runtime',
  'limits.request_s': 'Longest request',
  'limits.drain_s': 'Time for requests at a stop',
  'retention.request_log_days': 'Requests are kept for',
  'retention.audit_days': 'Audit entries are kept for',
  passthrough: 'Paths',
  cors_origins: 'Origins',
};
const FIELDS: readonly FormField[] = ['listen', 'limits', 'retention', 'passthrough', 'cors_origins'];
const MAX_TEXT = 300;

/** Reads the values of the form from the schema of the file. */
export function readFormValues(schema: unknown): readonly FormValue[] {
  const { properties } = fieldsOf(schema);
  return FIELDS.flatMap((field) => {
    const own = fieldsOf(properties)[field];
    const group = fieldsOf(fieldsOf(own)['properties']);
    const names = Object.keys(group);
    if (names.length > 0) return names.map((name) => toValue(field, name, group[name]));
    return own === undefined ? [] : [toValue(field, undefined, own)];
  });
}

function toValue(field: FormField, name: string | undefined, schema: unknown): FormValue {
  const { type, description, unit, minimum, maximum, default: standard } = fieldsOf(schema);
  const path = name === undefined ? field : `${field}.${name}`;
  const words = LABELS[path] ?? path;
  return {
    path,
    field,
    name,
    label: unit === undefined ? words : `${words}, in ${textOf(unit) ?? ''}`,
    kind: type === 'integer' ? 'number' : type === 'array' ? 'lines' : 'text',
    hint: textOf(description) ?? '',
    min: numberOf(minimum) ?? 0,
    max: numberOf(maximum) ?? Number.MAX_SAFE_INTEGER,
    standard,
  };
}

/** Converts the values of the file to the texts of the form. */
export function toTexts(values: readonly FormValue[], file: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    values.map(({ path, field, name, kind }) => {
      const whole = fieldsOf(file)[field];
      const value = name === undefined ? whole : fieldsOf(whole)[name];
      return [path, kind === 'lines' ? itemsOf(value).join('\n') : (textOf(value) ?? String(numberOf(value) ?? ''))];
    }),
  );
}

/** The errors of the texts by path; empty without errors. */
export function errorsOf(
  values: readonly FormValue[],
  texts: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const found = values.flatMap(({ path, kind, min, max }) => {
    const text = texts[path] ?? '';
    if (kind === 'lines') return [];
    const error = errorOf(kind === 'number' ? readWhole(text, { min, max }) : readText(text, MAX_TEXT));
    return error === undefined ? [] : [[path, error] as const];
  });
  return Object.fromEntries(found);
}

/**
 * The changes from `before` to `texts`, which must have no errors. A changed group is written with every value that the
 * file has, that changed or that is not a default. This loses no value and adds no default. `written`: the file's text.
 */
export function toEdits(
  values: readonly FormValue[],
  before: Readonly<Record<string, string>>,
  texts: Readonly<Record<string, string>>,
  written: string,
): readonly SetField[] {
  const changed = values.filter(({ path }) => texts[path] !== before[path]);
  return FIELDS.filter((field) => changed.some((value) => value.field === field)).map((field) => {
    const own = values.filter((value) => value.field === field);
    const [single] = own;
    if (single !== undefined && single.name === undefined) {
      return { action: 'set', field, value: toJson(single, texts[single.path] ?? '') };
    }
    const kept = own.filter(
      (value) =>
        changed.includes(value) ||
        toJson(value, texts[value.path] ?? '') !== value.standard ||
        new RegExp(`\\b${value.name ?? ''}\\b`).test(written),
    );
    const map = Object.fromEntries(kept.map((value) => [value.name ?? '', toJson(value, texts[value.path] ?? '')]));
    return { action: 'set', field, value: map };
  });
}

function toJson({ kind }: FormValue, text: string): unknown {
  if (kind === 'number') return Number(text.trim().replaceAll(/[\s_,']/g, ''));
  if (kind === 'text') return text.trim();
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
