// 300 schemas, 20 answers each: from uniformly random tokens of a vocabulary of 151,669, and from the demo model at a
// temperature of 1.5. Every answer is valid by ajv.
import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findVocabulary } from '../../../bench/grammar/vocabulary.js';
import { isAppError } from '../../../src/base/index.js';
import { compileGrammar, createConstraint, createVocabulary, readJsonSchema } from '../../../src/grammar/index.js';
import { createEngine } from '../../../src/index.js';
import { hasTwice } from '../../grammar/schema/compare.js';
import { schemas as randomSchemas } from '../../grammar/schema/random-schemas.js';
import { realSchemas } from '../../grammar/schema/real-schemas.js';
import { createRandom } from '../../grammar/sample.js';
import { randomAnswer } from './random-tokens.js';

/** Fewer for a short run. */
const NUM_SCHEMAS = Number(process.env['ANSWER_SCHEMAS'] ?? 300);
const NUM_ANSWERS = 20;
/** Random tokens open arrays and objects without end: an answer that is longer is left. */
const MAX_TOKENS = 600;
/** From here on it is brought to its end where that can be. */
const FREE_TOKENS = 100;
const MAX_LEFT = 0.05;

interface Case {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly isValid: (value: unknown) => boolean;
}

const options: Options = { strict: false, logger: false, multipleOfPrecision: 6, validateFormats: true };

/** Schemas that compile and that ajv knows: those that people write, then random ones. */
function listCases(): readonly Case[] {
  const drawn = fc.sample(randomSchemas, { numRuns: 2_000, seed: 7 });
  const cases: Case[] = [];
  for (const schema of [...realSchemas, ...drawn]) {
    if (cases.length === NUM_SCHEMAS) break;
    if (typeof schema === 'boolean' || JSON.stringify(schema).includes('draft-04')) continue;
    try {
      compileGrammar(readJsonSchema(schema).grammar);
    } catch (error) {
      if (isAppError(error)) continue;
      throw error;
    }
    const ajv = JSON.stringify(schema).includes('draft-07') ? new Ajv(options) : new Ajv2020(options);
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    cases.push({ schema, isValid: (value) => validate(value) });
  }
  return cases;
}

const cases = listCases();

it(`${NUM_SCHEMAS} schemas, ${NUM_ANSWERS} answers of uniformly random tokens each`, async (context) => {
  const { name, tokens, endTokenId } = await findVocabulary(process.cwd());
  if (name === 'demo') return context.skip('the vocabulary of Qwen3 could not be had from npm');
  expect(cases).toHaveLength(NUM_SCHEMAS);
  const vocabulary = createVocabulary(tokens);
  const idOf = (text: string): number =>
    tokens.findIndex((token) => token !== undefined && Buffer.from(text).equals(token));
  const closers = [endTokenId, ...[...'"}]0:'].map(idOf)];
  const random = createRandom(1);
  let left = 0;
  for (const { schema, isValid } of cases) {
    const grammar = compileGrammar(readJsonSchema(schema).grammar);
    const spec = { kind: 'grammar', grammar, id: JSON.stringify(schema), endTokenIds: [endTokenId] } as const;
    for (let answer = 0; answer < NUM_ANSWERS; answer++) {
      const constraint = createConstraint(spec, { vocabSize: tokens.length, vocabulary });
      const lengths = { freeTokens: FREE_TOKENS, maxTokens: MAX_TOKENS, closers };
      const text = randomAnswer(constraint, tokens, random, lengths);
      if (text === undefined) {
        left++;
        continue;
      }
      if (!hasTwice(text)) expect([text, isValid(JSON.parse(text))]).toEqual([text, true]);
    }
  }
  expect(left / (NUM_SCHEMAS * NUM_ANSWERS)).toBeLessThan(MAX_LEFT);
});

it(`${NUM_SCHEMAS} schemas, ${NUM_ANSWERS} answers of the demo model each`, async () => {
  const engine = await createEngine();
  const model = await engine.load('demo');
  let left = 0;
  for (const [index, { schema, isValid }] of cases.entries()) {
    const { choices: first } = await ask(index, schema, 10);
    const { choices: second } = await ask(index + NUM_SCHEMAS, schema, 10);
    for (const { message, finish_reason: reason } of [...first, ...second]) {
      const text = message.content ?? '';
      if (reason === 'length') left++;
      else if (!hasTwice(text)) expect([text, isValid(JSON.parse(text))]).toEqual([text, true]);
    }
  }
  await engine.close();
  expect(left / (NUM_SCHEMAS * NUM_ANSWERS)).toBeLessThan(0.5);

  function ask(seed: number, schema: object, n: number): ReturnType<typeof model.chat> {
    return model.chat({
      messages: [{ role: 'user', content: 'What is the capital of Norway?' }],
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
      temperature: 1.5,
      enable_thinking: false,
      max_tokens: 300,
      seed,
      n,
    });
  }
});
