// The reference of a configuration file of YAML, made from its schema.
import { toWords, type FieldSchema } from '../../src/yaml-file/index.js';

/** A map of the file with the fields of a table of its own. */
interface Section {
  /** As in `runtimes[].api_key`; empty for the file itself. */
  readonly path: string;
  readonly schema: FieldSchema;
}

/** A table for each map of the file, in its order: field, what it may be, its default, what it says. */
export function yamlConfigTables(file: FieldSchema): string {
  return sectionsOf({ path: '', schema: file })
    .map(({ path, schema }) => {
      const title = path === '' ? 'The file' : `\`${path}\`${variantOf(schema)}`;
      return [`### ${title}`, '', schema.description ?? '', '', ...tableOf(schema)].join('\n');
    })
    .join('\n\n');
}

/** Which of several maps at one place it is. */
function variantOf({ title, properties = {} }: FieldSchema): string {
  return title?.startsWith('a secret from') || title?.startsWith('a budget in')
    ? `: ${Object.keys(properties)[0]}`
    : '';
}

function tableOf({ properties = {}, required = [] }: FieldSchema): string[] {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const isNeeded = required.includes(name) && schema.default === undefined;
    const value = schema.default === undefined ? (isNeeded ? 'required' : '–') : toDefault(schema.default);
    return `| \`${name}\` | ${toWords(schema)} | ${value} | ${schema.description ?? ''} |`;
  });
  return ['| field | what it may be | default | what it says |', '|---|---|---|---|', ...rows];
}

/** Of maps each field has a default of its own. */
function toDefault(value: unknown): string {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return '–';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function sectionsOf(section: Section): Section[] {
  const inside = Object.entries(section.schema.properties ?? {}).flatMap(([name, schema]) =>
    mapsOf(section.path === '' ? name : `${section.path}.${name}`, schema),
  );
  return [section, ...inside];
}

/** The maps that a field may be, or may be a list of; each once. */
function mapsOf(path: string, schema: FieldSchema): Section[] {
  if (schema.type === 'object') return sectionsOf({ path, schema });
  if (schema.type === 'array' && schema.items !== undefined) return mapsOf(`${path}[]`, schema.items);
  const found = (schema.anyOf ?? []).flatMap((variant) => mapsOf(path, variant));
  const titles = found.map((each) => each.schema.title);
  return found.filter((each, i) => titles.indexOf(each.schema.title) === i);
}
