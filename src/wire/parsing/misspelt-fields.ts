import { nearest } from '../../base/index.js';
import type { MisspeltField } from '../dialect.js';
import { ignoredFields } from './ignored-fields.js';
import { unsupportedFieldNames } from './unsupported-fields.js';

/** Fields of one request that are named. */
const MAX_NAMED = 16;
/** Unknown fields of one request that are compared with known ones: each costs some 0.1 ms. */
const MAX_COMPARED = 64;
/** Characters that may appear in a header and in the log. */
const NAME = /^\w{2,64}$/;

/** The keywords of JSON Schema that this reader uses. */
interface Shape {
  readonly properties?: Readonly<Record<string, object>>;
  readonly items?: object;
  readonly anyOf?: readonly object[];
}

const beside: readonly string[] = [...unsupportedFieldNames, ...ignoredFields];

/**
 * Unknown fields of a body that resemble a field of `schema` which the body lacks: they have no effect. Other unknown
 * fields belong to other servers.
 */
export function findMisspelt(schema: object, body: unknown): readonly MisspeltField[] | undefined {
  const found: MisspeltField[] = [];
  let compared = 0;
  const compare = (name: string, path: string, object: object, known: readonly string[]): void => {
    if (!NAME.test(name) || compared >= MAX_COMPARED || found.length >= MAX_NAMED) return;
    compared++;
    // A quarter of the letters: closer than a field of another server comes by chance.
    const meant = nearest(name, known, Math.ceil(name.length / 4));
    if (meant !== undefined && !Object.hasOwn(object, meant)) found.push({ field: `${path}${name}`, meant });
  };
  const walk = (shape: object, value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const branches: Shape[] = [shape, ...((shape as Shape).anyOf ?? [])];
    if (Array.isArray(value)) {
      const items = branches.find((branch) => branch.items !== undefined && !Array.isArray(branch.items))?.items;
      if (items !== undefined) value.forEach((item, index) => walk(items, item, `${path.slice(0, -1)}[${index}].`));
      return;
    }
    const properties = branches.find((branch) => branch.properties !== undefined)?.properties;
    if (properties === undefined) return;
    const known = Object.keys(properties);
    for (const [name, field] of Object.entries(value)) {
      const inside = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (inside !== undefined) walk(inside, field, `${path}${name}.`);
      else if (path !== '' || !beside.includes(name)) compare(name, path, value, known);
    }
  };
  walk(schema, body, '');
  return found.length === 0 ? undefined : found;
}
