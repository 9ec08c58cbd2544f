import { type JsonObject } from '../../base/index.js';
import type { CategoryLookup } from '../unicode/code-points.js';
import { tokenizerInvalid, unsupportedTokenizer } from '../errors.js';
import { toList, toObject, toText } from './json.js';
import { MAX_SEQUENCE_DEPTH, MAX_SEQUENCE_PARTS } from '../limits.js';

/** Context of the parser of one part (a normalizer, a pre-tokenizer …) of tokenizer.json, besides its object. */
export interface PartContext {
  readonly categoryOf: CategoryLookup;
  /** The place in the file, for errors: `pre_tokenizer.pretokenizers[0]`. */
  readonly where: string;
  /** The number of Sequences around this part. */
  readonly depth: number;
}

/** One item of a registry of parts: reads the object of that `type`. */
export type PartParser<T> = (spec: JsonObject, context: PartContext) => T;

/** Finds the parser of `spec.type` on `registry` and runs it. Errors: `unsupported_tokenizer` for a type not in it. */
export function parsePart<T>(
  registry: Readonly<Record<string, PartParser<T>>>,
  spec: unknown,
  context: PartContext,
): T {
  const object = toObject(spec, context.where);
  const type = toText(object['type'], `${context.where}.type`);
  const parse = Object.hasOwn(registry, type) ? registry[type] : undefined;
  if (parse === undefined) throw unsupportedTokenizer(context.where, `the type ${JSON.stringify(type.slice(0, 40))}`);
  return parse(object, context);
}

/** Parses the parts of a Sequence, in their order, from the list under `key`. */
export function parseParts<T>(
  registry: Readonly<Record<string, PartParser<T>>>,
  spec: JsonObject,
  key: string,
  context: PartContext,
): T[] {
  const depth = context.depth + 1;
  if (depth > MAX_SEQUENCE_DEPTH)
    throw tokenizerInvalid(context.where, `more than ${MAX_SEQUENCE_DEPTH} Sequences within Sequences`);
  return toList(spec[key], `${context.where}.${key}`, MAX_SEQUENCE_PARTS).map((each, i) =>
    parsePart(registry, each, { ...context, where: `${context.where}.${key}[${i}]`, depth }),
  );
}

/** The `pattern` of a Replace or a Split as a regular expression: `{ "String": … }` is taken literally. */
export function toPattern(value: unknown, where: string): string {
  const object = toObject(value, where);
  if (object['Regex'] !== undefined) return toText(object['Regex'], `${where}.Regex`);
  const literal = toText(object['String'], `${where}.String`);
  return literal.replace(/[\\^$.*+?()[\]{}|&-]/g, '\\$&');
}
