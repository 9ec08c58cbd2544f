import type { Expression } from '../../grammar.js';
import { unsupportedKeyword } from '../document/unsupported.js';
import { recordUnenforced } from '../expand/reader.js';
import { FALSE } from '../shape/formula.js';
import type { ArrayPart } from '../shape/array-part.js';
import { bytes, EMPTY, inOrder, alternatives } from './builder.js';
import type { Emitter } from './emitter.js';
import { stringTexts } from './literals.js';

/** Values from which each item of an array is another one; each doubles the rules. */
const MAX_VALUES = 6;

/**
 * Items without two equal ones, where they come from a few values; undefined where the keyword requires nothing. `gap`:
 * after the last. Errors: `unsupported_schema` for items of other kinds.
 */
export function emitUnique(emitter: Emitter, part: ArrayPart, gap: Expression): Expression | undefined {
  const { uniqueAt } = part;
  if (uniqueAt === undefined || (part.max !== undefined && part.max <= 1)) return undefined;
  const values = fewValues(emitter, part);
  if (values !== undefined) return permutations(emitter, part, values, gap);
  const pointer = uniqueAt.slice(0, -'/uniqueItems'.length);
  const reason = `items are compared only where they are one of up to ${MAX_VALUES} values of enum or const`;
  if (emitter.mode.isStrict) throw unsupportedKeyword({ pointer, keyword: 'uniqueItems', reason });
  recordUnenforced(emitter.reader, pointer, 'uniqueItems');
  return undefined;
}

/** The values that all items are taken from, each in its spellings. */
function fewValues(emitter: Emitter, part: ArrayPart): readonly (readonly string[])[] | undefined {
  if (part.prefix.length > 0 || part.contains.length > 0 || part.rest === FALSE) return undefined;
  const { hasNull, booleans, numbers, strings, arrays, objects } = emitter.reader.shapeOf(part.rest, emitter.mode);
  const isListed =
    numbers.every(({ values }) => values !== undefined) && strings.every(({ texts }) => texts !== undefined);
  if (!isListed || arrays.length + objects.length > 0) return undefined;
  const decimals = numbers.flatMap(({ values = [] }) =>
    values.map(({ digits, exponent }) => String(Number(`${digits}e${exponent}`))),
  );
  const texts = [...new Set(strings.flatMap((each) => each.texts ?? []))];
  const values = [
    ...(hasNull ? [['null']] : []),
    ...booleans.map((value) => [String(value)]),
    ...[...new Set(decimals)].map((text) => [text]),
    ...texts.map((text) => stringTexts(emitter, text)),
  ];
  return values.length <= MAX_VALUES ? values : undefined;
}

function permutations(
  { builder, gap: between }: Emitter,
  part: ArrayPart,
  values: readonly (readonly string[])[],
  gap: Expression,
): Expression {
  const name = builder.declare();
  builder.define(name, EMPTY);
  const from = (used: number, count: number): Expression =>
    builder.later(`unique ${name} ${used}`, () => {
      const end = count >= part.min ? [count === 0 ? EMPTY : gap] : [];
      if (count >= (part.max ?? Infinity)) return alternatives(...end);
      const before = count === 0 ? EMPTY : inOrder(bytes(','), between);
      const items = values.flatMap((spellings, i) =>
        (used & (1 << i)) === 0
          ? [inOrder(before, alternatives(...spellings.map(bytes)), from(used | (1 << i), count + 1))]
          : [],
      );
      return alternatives(...end, ...items);
    });
  return from(0, 0);
}
