import { Type, type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { closeObjects } from '../../src/grammar/index.js';
import type { SchemaOutput } from '../../src/index.js';

/** Whether two types are the same to the compiler, which builds this file. */
type Same<A, B> = (<T>(one: T) => T extends A ? 1 : 2) extends <T>(one: T) => T extends B ? 1 : 2 ? true : false;

/** A schema with one of its values, for which our type and TypeBox's own must be the same. */
function row<Schema extends TSchema>(
  schema: Schema,
  value: SchemaOutput<Schema>,
  ...wrong: Same<SchemaOutput<Schema>, Static<Schema>> extends true ? [] : [never]
): readonly [TSchema, unknown] {
  expect(wrong).toEqual([]);
  return [schema, value];
}

const Node = Type.Object({
  id: Type.String(),
  next: Type.Optional(Type.Ref('Node')),
  all: Type.Array(Type.Ref('Node')),
});

it('the types of values are those of TypeBox, for every kind that JSON has a form for', () => {
  const rows = [
    row(Type.String(), 'a'),
    row(Type.Integer(), 1),
    row(Type.Null(), null),
    row(Type.Unknown(), {}),
    row(Type.Enum(['a', 'b', 3]), 3),
    row(Type.Tuple([Type.String(), Type.Number()]), ['a', 1.5]),
    row(Type.Object({}), {}),
    row(Type.Object({ a: Type.String(), b: Type.Optional(Type.Number()) }), { a: '' }),
    row(
      Type.Object({
        a: Type.Readonly(Type.String()),
        b: Type.Optional(Type.Readonly(Type.Number())),
        c: Type.Array(Type.Object({ d: Type.Null() })),
      }),
      { a: 'x', c: [{ d: null }] },
    ),
    row(Type.Union([Type.Literal('a'), Type.Literal(3), Type.Boolean(), Type.Object({ k: Type.Integer() })]), { k: 1 }),
    row(Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]), { a: '', b: '' }),
    row(Type.Record(Type.String(), Type.Number()), { a: 1 }),
    row(Type.Record(Type.Integer(), Type.Number()), { 1: 1 }),
    row(Type.Unsafe<{ q: 1 }>(Type.Object({ q: Type.Literal(1) })), { q: 1 }),
    row(Type.Partial(Type.Object({ a: Type.String() })), {}),
    row(
      Type.Refine(Type.String(), (text) => text.length > 2),
      'abc',
    ),
    row(Type.Cyclic({ Node }, 'Node'), { id: 'a', next: { id: 'b', all: [] }, all: [] }),
  ];
  for (const [schema, value] of rows) expect([schema, Compile(schema).Check(value)]).toEqual([schema, true]);
  // What TypeBox calls any is unknown here: the test tells two different types apart.
  const any = Type.Any();
  const isSame: Same<SchemaOutput<typeof any>, Static<typeof any>> = false;
  expect(isSame).toBe(false);
});

it('the type of a Zod schema is its output, and a plain JSON Schema has none', () => {
  const schema = z.object({ a: z.string().transform((text) => text.length), b: z.array(z.number()).optional() });
  const isSame: Same<SchemaOutput<typeof schema>, z.output<typeof schema>> = true;
  const isUnknown: Same<SchemaOutput<{ type: 'object' }>, unknown> = true;
  const value: SchemaOutput<typeof schema> = schema.parse({ a: 'xyz' });
  expect([value.a, isSame, isUnknown]).toEqual([3, true, true]);
});

it('objects are closed where they name their properties, however deep, and not where schemas are composed', () => {
  const inner = { type: 'object', properties: { a: { type: 'string', default: { type: 'object', properties: {} } } } };
  const closed = { ...inner, additionalProperties: false };
  const schema = {
    type: 'object',
    properties: { list: { type: 'array', items: inner }, properties: { anyOf: [inner, { type: 'null' }] } },
    $defs: { inner, loose: { ...inner, additionalProperties: {} }, any: { type: 'object' } },
  };
  expect(closeObjects(schema)).toEqual({
    type: 'object',
    properties: { list: { type: 'array', items: closed }, properties: { anyOf: [closed, { type: 'null' }] } },
    $defs: { inner: closed, loose: { ...inner, additionalProperties: {} }, any: { type: 'object' } },
    additionalProperties: false,
  });
  for (const keyword of ['allOf', 'not', 'if']) {
    const composed = { ...schema, properties: { deep: { [keyword]: [] } } };
    expect(closeObjects(composed)).toBe(composed);
  }
});
