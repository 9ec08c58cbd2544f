// 200 schemas of tools in every dialect that has calls: forced answers of uniformly random tokens of a large vocabulary, and
// of the demo model through the library, streamed and whole. Every call is read, and its arguments are valid by ajv.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { findVocabulary } from '../../../bench/grammar/vocabulary.js';
import { present } from '../../../src/base/index.js';
import { dialects, type ModelDialect } from '../../../src/chat/index.js';
import { buildGrammar } from '../../../src/completion/grammars/build-grammar.js';
import { toCallsRequest } from '../../../src/completion/grammars/grammar-request.js';
import { compileGrammar, createConstraint, createVocabulary } from '../../../src/grammar/index.js';
import { createEngine } from '../../../src/index.js';
import { smallTemplates } from '../../chat/tool-templates.js';
import { toolSchema } from '../../completion/tool-schemas.js';
import { hasTwice } from '../../grammar/schema/compare.js';
import { createRandom } from '../../grammar/sample.js';
import { randomAnswer } from '../grammar/random-tokens.js';

/** Fewer for a short run. */
const NUM_SCHEMAS = Number(process.env['TOOL_SCHEMAS'] ?? 200);
/** From here on an answer is brought to its end where that can be; one that is longer than the second is left. */
const FREE_TOKENS = 60;
const MAX_TOKENS = 600;
const MAX_LEFT = 0.1;

const callable = Object.values<ModelDialect>(dialects).filter(({ calls }) => calls !== null);
const ajv = new Ajv2020({ strict: false });
/** By whether a name of an argument may have a tag in it. */
const validators = [false, true].map((isWritable) =>
  Array.from({ length: NUM_SCHEMAS }, (_, seed) => ajv.compile(toolSchema(seed, isWritable))),
);
const NOTHING = { type: 'object', properties: {}, additionalProperties: false };
const toolsOf = (seed: number, isWritable: boolean) => [
  {
    type: 'function' as const,
    function: { name: 'first', description: 'Does it.', parameters: toolSchema(seed, isWritable) },
  },
  { type: 'function' as const, function: { name: 'empty', description: 'Does nothing.', parameters: NOTHING } },
];

/** Checks calls of answer `seed`: names and arguments. */
function check(
  seed: number,
  isWritable: boolean,
  calls: readonly { readonly name: string; readonly text: string }[],
): void {
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.length).toBeLessThanOrEqual(16);
  for (const { name, text } of calls) {
    expect(['first', 'empty']).toContain(name);
    const value: unknown = JSON.parse(text);
    if (name === 'first' && !hasTwice(text))
      expect([text, validators[isWritable ? 1 : 0]?.[seed]?.(value)]).toEqual([text, true]);
  }
}

const { tokens, endTokenId } = await findVocabulary(process.cwd());
const vocabulary = createVocabulary(tokens);
const idOf = (text: string): number =>
  tokens.findIndex((token) => token !== undefined && Buffer.from(text).equals(token));
const LENGTHS = {
  freeTokens: FREE_TOKENS,
  maxTokens: MAX_TOKENS,
  closers: [endTokenId, ...[...'"}]0:'].map(idOf)],
};

describe.each(callable.map((dialect) => [dialect.name, dialect] as const))('%s', (name, dialect) => {
  const isWritable = dialect.calls?.elements !== undefined;
  it(`${NUM_SCHEMAS} schemas, answers of uniformly random tokens`, () => {
    const random = createRandom(1);
    let left = 0;
    for (let seed = 0; seed < NUM_SCHEMAS; seed++) {
      const asked = {
        tools: toolsOf(seed, isWritable),
        toolChoice: { isRequired: true },
        isSingle: seed % 3 === 0,
        toolSchema: String,
      };
      const notation = present(dialect.calls, 'it writes calls');
      const grammar = compileGrammar(buildGrammar({ calls: toCallsRequest(asked, notation) }).grammar);
      const spec = { kind: 'grammar', grammar, id: `${name} ${seed}`, endTokenIds: [endTokenId] } as const;
      const constraint = createConstraint(spec, { vocabSize: tokens.length, vocabulary });
      const closingText = Array.from(notation.elements?.close[0] ?? '', idOf);
      const text = randomAnswer(constraint, tokens, random, { ...LENGTHS, closingText });
      if (text === undefined) {
        left++;
        continue;
      }
      const read = (pieces: readonly string[]) => {
        const parser = dialect.createParser({
          tools: true,
          toolNames: ['first', 'empty'],
          parametersOf: (tool) => (tool === 'first' ? toolSchema(seed, isWritable) : NOTHING),
        });
        const deltas = [...pieces.flatMap((piece) => parser.push({ text: piece })), ...parser.end()];
        const content = deltas.map((delta) => (delta.type === 'toolCall' ? '' : delta.text)).join('');
        expect([text, content.trim()]).toEqual([text, '']);
        return deltas.flatMap((delta) =>
          delta.type === 'toolCall' ? [{ name: delta.name ?? '', text: delta.argumentsText }] : [],
        );
      };
      const calls = read([text]);
      check(seed, isWritable, calls);
      expect(read(text.match(/[^]{1,7}/g) ?? [])).toEqual(calls);
    }
    expect(left / NUM_SCHEMAS).toBeLessThan(MAX_LEFT);
  });

  it(`${NUM_SCHEMAS} schemas, answers of the demo model`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forced-calls-'));
    const path = join(folder, 'template.jinja');
    writeFileSync(path, smallTemplates[name as keyof typeof smallTemplates]);
    try {
      await using engine = await createEngine({ template: path });
      await using model = await engine.load('demo');
      let left = 0;
      for (let seed = 0; seed < NUM_SCHEMAS; seed++) {
        const request = {
          messages: [{ role: 'user' as const, content: 'What is the weather in Oslo?' }],
          tools: toolsOf(seed, isWritable),
          tool_choice: 'required' as const,
          // Several calls of a model that does not know how to end take all the room there is.
          parallel_tool_calls: seed % 4 === 0,
          enable_thinking: false,
          temperature: 1.2,
          max_tokens: 250,
          seed,
        };
        const { choices } = await model.chat(request);
        const { message, finish_reason: reason } = present(choices[0], 'there is an answer');
        const whole = (message.tool_calls ?? []).map((call) => ({
          name: call.function.name,
          text: call.function.arguments,
        }));
        const streamed: { name: string; text: string }[] = [];
        let said = '';
        for await (const { choices: deltas } of model.stream(request)) {
          const { tool_calls: calls = [], content } = deltas[0]?.delta ?? {};
          said += content ?? '';
          for (const { index, function: called } of calls) {
            if (called?.name !== undefined) streamed.push({ name: called.name, text: '' });
            expect(index).toBe(streamed.length - 1);
            present(streamed.at(-1), 'a name comes first').text += called?.arguments ?? '';
          }
        }
        expect([streamed, said]).toEqual([whole, message.content ?? '']);
        if (reason !== 'length') expect([seed, reason, message.content]).toEqual([seed, 'tool_calls', null]);
        if (whole.length > 0) check(seed, isWritable, whole);
        else left++;
      }
      expect(left / NUM_SCHEMAS).toBeLessThan(0.5);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
