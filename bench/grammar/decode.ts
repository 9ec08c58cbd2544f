// node dist/bench/grammar/decode.js MODEL: tokens a second of free answers, of answers held to a schema, and of answers with
// long names that the schema forces, in turns on one engine without speculation. JSON lines, a round each, then medians.

import { present } from '../../src/base/index.js';
import { createEngine, type Model } from '../../src/index.js';
import { median, significant } from '../record/statistics.js';

const ROUNDS = 5;
const MAX_TOKENS = 128;
/** Of a schema whose keys are most of its answer. */
const NAMES = 10;

const messages = [{ role: 'user' as const, content: 'List the largest cities of Europe, each with its country.' }];
const name = (i: number): string => `the_name_of_the_city_that_is_number_${i}_by_its_population`;
const longNames = Array.from({ length: NAMES }, (_, i) => name(i + 1));
const ways = {
  free: undefined,
  schema: { type: 'array', items: { type: 'string', minLength: 3 }, minItems: 40 },
  'long names': {
    type: 'object',
    properties: Object.fromEntries(longNames.map((each) => [each, { type: 'string', maxLength: 12 }])),
    required: longNames,
    additionalProperties: false,
  },
} as const;
type Way = keyof typeof ways;

/** Tokens a second from the first token to the last. */
async function rate(model: Model, way: Way): Promise<number> {
  const schema = ways[way];
  const stream = model.stream({
    messages,
    temperature: 0,
    max_tokens: MAX_TOKENS,
    ignore_eos: way === 'free',
    stream_options: { include_usage: true },
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'cities', schema } } }),
  });
  let first: number | undefined;
  let last = 0;
  let tokens = 0;
  for await (const { choices, usage } of stream) {
    if (choices[0]?.delta.content) {
      last = performance.now();
      first ??= last;
    }
    tokens = usage?.completion_tokens ?? tokens;
  }
  return (1000 * (tokens - 1)) / (last - present(first, 'an answer has a token'));
}

await using engine = await createEngine({ speculation: false });
await using model = await engine.load(present(process.argv[2], 'the first argument is a model'));
const rates: Record<Way, number[]> = { free: [], schema: [], 'long names': [] };
const all = Object.keys(ways) as Way[];
// The first round compiles the schemas and warms the engine.
for (let round = 0; round <= ROUNDS; round++) {
  for (const way of all) {
    const found = await rate(model, way);
    if (round > 0) rates[way].push(found);
  }
  const told = all.map((way) => [way, significant(rates[way].at(-1) ?? 0)]);
  if (round > 0) console.log(JSON.stringify(Object.fromEntries(told)));
}
const ratio = (way: Way): number =>
  significant(median(rates[way].map((found, i) => found / present(rates.free[i], 'rounds have all ways'))));
console.log(JSON.stringify({ 'schema / free': ratio('schema'), 'long names / free': ratio('long names') }));
