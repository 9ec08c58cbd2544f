import type { Expression } from '../../grammar.js';
import { fromByteTexts } from '../../regular/index.js';
import type { Shape } from '../shape/shape.js';
import { bytes } from './builder.js';
import type { Emitter } from './emitter.js';

/** The values of a shape that it lists one by one: null, booleans, numbers and strings. */
export function literalTexts(emitter: Emitter, shape: Shape): Expression[] {
  const { builder } = emitter;
  const texts = [
    ...(shape.hasNull ? ['null'] : []),
    ...shape.booleans.map(String),
    ...shape.numbers.flatMap(({ values = [] }) =>
      values.map(({ digits, exponent }) => JSON.stringify(Number(`${digits}e${exponent}`))),
    ),
    ...shape.strings.flatMap((part) => (part.texts ?? []).flatMap((text) => stringTexts(emitter, text))),
  ];
  const distinct = [...new Set(texts)];
  const [first] = distinct;
  if (first === undefined) return [];
  if (distinct.length === 1) return [bytes(first)];
  const encoder = new TextEncoder();
  const dfa = fromByteTexts(
    distinct.map((text) => encoder.encode(text)),
    builder.budget,
  );
  return [{ kind: 'regular', dfa }];
}

/**
 * A string as programs print it: unescaped, or with escapes for all characters outside of ASCII; none where it contains
 * the avoided text.
 */
export function stringTexts({ avoided }: Emitter, text: string): string[] {
  if (avoided !== undefined && text.includes(avoided.text)) return [];
  const plain = JSON.stringify(text);
  const ascii = plain.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return plain === ascii ? [plain] : [plain, ascii];
}
