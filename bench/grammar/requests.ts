// node dist/bench/grammar/requests.js: what a compiled grammar adds to a request whose grammar the engine has had before.
// Milliseconds until the one token of a request of the demo model, of a free one and of ones with grammars, in turns.
// JSON lines: the bytes of each grammar, and medians.

import { compileGrammar, readJsonSchema, type ConstraintSpec } from '../../src/grammar/index.js';
import { createEngine } from '../../src/index.js';
import { median, significant } from '../record/statistics.js';

const ROUNDS = 300;
/** Rounds that warm the engine. */
const WARM = 30;
const END = 2;

/** An object with so many texts: of any length, or each of another one at most, which takes some 140 KB of grammar. */
function schemaOf(count: number, maxLength?: number): object {
  const names = Array.from({ length: count }, (_, i) => `field_${i}`);
  const textOf = (i: number): object => ({
    type: 'string',
    ...(maxLength !== undefined && { maxLength: maxLength - i }),
  });
  const properties = Object.fromEntries(names.map((name, i) => [name, textOf(i)]));
  return { type: 'object', properties, required: names, additionalProperties: false };
}

function specOf(id: string, schema: object): ConstraintSpec {
  const grammar = compileGrammar(readJsonSchema(schema).grammar);
  const bytes = Object.values(grammar).reduce<number>(
    (sum, part) => sum + (ArrayBuffer.isView(part) ? part.byteLength : 0),
    0,
  );
  console.log(JSON.stringify({ grammar: id, bytes }));
  return { kind: 'grammar', grammar, id, endTokenIds: [END] };
}

const ways: readonly (readonly [name: string, constraint: ConstraintSpec | undefined])[] = [
  ['free', undefined],
  ['small', specOf('small', schemaOf(2))],
  ['tool', specOf('tool', schemaOf(60))],
  ['large', specOf('large', schemaOf(8, 256))],
];
await using engine = await createEngine({ speculation: false });
await using model = await engine.load('demo');
const promptTokenIds = Array.from({ length: 8 }, (_, i) => 40 + i);
const times = new Map(ways.map(([name]) => [name, [] as number[]]));
for (let round = 0; round < WARM + ROUNDS; round++) {
  for (const [name, constraint] of ways) {
    const startMs = performance.now();
    const request = { promptTokenIds, maxTokens: 1, temperature: 0, ...(constraint && { constraint }) };
    for await (const _ of model.generate(request));
    if (round >= WARM) times.get(name)?.push(performance.now() - startMs);
  }
}
for (const [name, each] of times) console.log(JSON.stringify({ way: name, ms: significant(median(each)) }));
