import { keysInOrder, isJsonObject } from '../../../base/index.js';
import { unsupportedKeyword } from '../document/unsupported.js';
import { fromNumber, ZERO, compareDecimals, type Decimal } from '../shape/decimal.js';
import { only } from '../shape/formula.js';
import { ANY_ARRAY, type ArrayPart } from '../shape/array-part.js';
import { ANY_NUMBER, meetNumbers, type Bound, type NumberPart } from '../shape/number-part.js';
import { ALL_NAMES, ANY_OBJECT, oneName, type ObjectPart } from '../shape/object-part.js';
import { ANY_STRING, type StringPart } from '../shape/string-part.js';
import { FALSE } from '../shape/formula.js';
import { join, NOTHING, type Shape } from '../shape/shape.js';
import { formatLanguage, patternLanguage } from './languages.js';
import { countOf, recordUnenforced, type Reader } from './reader.js';

type Schema = Readonly<Record<string, unknown>>;

/** The numbers that the keywords of a schema allow. Errors: `unsupported_schema`. */
export function readNumbers(schema: Schema, pointer: string): readonly NumberPart[] {
  const minimum = decimalOf(schema, pointer, 'minimum');
  const maximum = decimalOf(schema, pointer, 'maximum');
  const bounds: NumberPart[] = [
    { ...ANY_NUMBER, min: toBound(minimum, schema['exclusiveMinimum'] === true) },
    { ...ANY_NUMBER, max: toBound(maximum, schema['exclusiveMaximum'] === true) },
  ];
  if (typeof schema['exclusiveMinimum'] !== 'boolean') {
    bounds.push({ ...ANY_NUMBER, min: toBound(decimalOf(schema, pointer, 'exclusiveMinimum'), true) });
  }
  if (typeof schema['exclusiveMaximum'] !== 'boolean') {
    bounds.push({ ...ANY_NUMBER, max: toBound(decimalOf(schema, pointer, 'exclusiveMaximum'), true) });
  }
  const step = decimalOf(schema, pointer, 'multipleOf');
  if (step !== undefined) {
    if (compareDecimals(step, ZERO) <= 0) {
      throw unsupportedKeyword({ pointer, keyword: 'multipleOf', reason: 'it must be greater than 0' });
    }
    bounds.push({ ...ANY_NUMBER, multiplesOf: [step] });
  }
  const part = bounds.reduce<NumberPart | undefined>((all, each) => all && meetNumbers(all, each), ANY_NUMBER);
  const isAny = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].every(
    (keyword) => !(keyword in schema),
  );
  return isAny ? [ANY_NUMBER] : part === undefined ? [] : [part];
}

function decimalOf(schema: Schema, pointer: string, keyword: string): Decimal | undefined {
  const value = schema[keyword];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return fromNumber(value);
  throw unsupportedKeyword({ pointer, keyword, reason: 'it must be a number' });
}

function toBound(at: Decimal | undefined, isExclusive: boolean): Bound | undefined {
  return at === undefined ? undefined : { at, isExclusive };
}

/** The strings that the keywords of a schema allow. Errors: `unsupported_schema`. */
export function readStrings(reader: Reader, schema: Schema, pointer: string): readonly StringPart[] {
  const min = countOf(schema, pointer, 'minLength') ?? 0;
  const max = countOf(schema, pointer, 'maxLength');
  const { pattern, format } = schema;
  if (max !== undefined && min > max) return [];
  const languages = pattern === undefined ? [] : [patternLanguage(reader, pattern, pointer, 'pattern')];
  if (typeof format === 'string') {
    const language = formatLanguage(reader, format);
    if (language === undefined) recordUnenforced(reader, pointer, 'format');
    else languages.push(language);
  }
  return min === 0 && max === undefined && languages.length === 0
    ? [ANY_STRING]
    : [{ ...ANY_STRING, min, max, languages }];
}

/** The values that equal one of a list. Errors: `unsupported_schema`. */
export function readValues(reader: Reader, values: readonly unknown[], pointer: string, keyword: string): Shape {
  const isA = (type: string) => (value: unknown) => typeof value === type;
  const texts = values.filter(isA('string')).map(String);
  if (texts.some((text) => !text.isWellFormed())) {
    throw unsupportedKeyword({ pointer, keyword, reason: 'it has a string with a lone surrogate' });
  }
  const numbers = values.filter(isA('number')).map((value) => fromNumber(Number(value)));
  const scalars: Shape = {
    ...NOTHING,
    hasNull: values.includes(null),
    booleans: [true, false].filter((value) => values.includes(value)),
    numbers: numbers.length === 0 ? [] : [{ ...ANY_NUMBER, values: numbers }],
    strings: texts.length === 0 ? [] : [{ ...ANY_STRING, texts: [...new Set(texts)] }],
  };
  const valueFormula = (value: unknown) => only(reader.nodes.ofValue(value, pointer));
  const arrays = values
    .filter((value) => Array.isArray(value))
    .map((items): ArrayPart => {
      const prefix = items.map(valueFormula);
      return { ...ANY_ARRAY, prefix, rest: FALSE, min: prefix.length, max: prefix.length };
    });
  const objects = values.filter(isJsonObject).map((members): ObjectPart => {
    const names = keysInOrder(members);
    const rules = names.map((name) => ({ names: oneName(name), formula: valueFormula(members[name]) }));
    const others = { names: { ...ALL_NAMES, names }, formula: FALSE };
    return { ...ANY_OBJECT, rules: [...rules, others], required: names };
  });
  return arrays.length + objects.length === 0 ? scalars : join(scalars, { ...NOTHING, arrays, objects });
}
