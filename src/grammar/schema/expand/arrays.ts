import { childPart } from '../document/document.js';
import { unsupportedKeyword } from '../document/unsupported.js';
import { ANY_ARRAY, checkArray, type ArrayPart } from '../shape/array-part.js';
import { FALSE, only, TRUE, type Formula, type SchemaPart } from '../shape/formula.js';
import { countOf, type Reader } from './reader.js';

type Schema = Readonly<Record<string, unknown>>;

const KEYWORDS: readonly string[] = ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'];

/** The formula of a schema within another. */
export function childFormula(
  reader: Reader,
  place: SchemaPart,
  schema: unknown,
  ...tokens: readonly (string | number)[]
): Formula {
  if (schema === true) return TRUE;
  if (schema === false) return FALSE;
  return only(reader.nodes.ofPlace(childPart(reader.document, place, schema, ...tokens)));
}

/** The arrays that the keywords of a schema allow. Errors: `unsupported_schema`. */
export function readArrays(reader: Reader, schema: Schema, place: SchemaPart): readonly ArrayPart[] {
  if (!KEYWORDS.some((keyword) => keyword in schema)) return [ANY_ARRAY];
  const { pointer } = place;
  const { prefix, rest } = readItems(reader, schema, place);
  const unique = schema['uniqueItems'] === true ? `${pointer}/uniqueItems` : undefined;
  const part: ArrayPart = {
    ...ANY_ARRAY,
    prefix,
    rest: rest ?? TRUE,
    min: countOf(schema, pointer, 'minItems') ?? 0,
    max: countOf(schema, pointer, 'maxItems'),
    uniqueAt: unique,
    numSeen: rest === undefined ? prefix.length : Infinity,
  };
  const checked = checkArray(withContains(reader, schema, place, part));
  return checked === undefined ? [] : [checked];
}

/** Formulas of the first items, and of the others; undefined without a keyword for them. */
function readItems(
  reader: Reader,
  schema: Schema,
  place: SchemaPart,
): { prefix: Formula[]; rest: Formula | undefined } {
  const { prefixItems, items, additionalItems } = schema;
  if (prefixItems !== undefined && !Array.isArray(prefixItems)) {
    throw unsupportedKeyword({
      pointer: place.pointer,
      keyword: 'prefixItems',
      reason: 'it must be a list of schemas',
    });
  }
  const isOld = Array.isArray(items);
  const keyword = isOld ? 'items' : 'prefixItems';
  const list: readonly unknown[] = isOld ? items : (prefixItems ?? []);
  const prefix = list.map((each, i) => childFormula(reader, place, each, keyword, i));
  const [others, name] = isOld ? [additionalItems, 'additionalItems'] : [items, 'items'];
  return { prefix, rest: others === undefined ? undefined : childFormula(reader, place, others, name) };
}

function withContains(reader: Reader, schema: Schema, place: SchemaPart, part: ArrayPart): ArrayPart {
  if (schema['contains'] === undefined) return part;
  const formula = childFormula(reader, place, schema['contains'], 'contains');
  const min = countOf(schema, place.pointer, 'minContains') ?? 1;
  const max = countOf(schema, place.pointer, 'maxContains');
  const { draft } = reader.document;
  const seesContained = draft === '2020-12' || draft === 'open';
  // In what contains anything each item counts.
  if (formula === TRUE) {
    const fewer = max === undefined ? part.max : Math.min(max, part.max ?? max);
    return { ...part, min: Math.max(part.min, min), max: fewer, numSeen: seesContained ? Infinity : part.numSeen };
  }
  if (min === 0 && max === undefined) return { ...part, seesContained };
  return { ...part, contains: [{ formula, from: 0, min, max }], seesContained };
}
