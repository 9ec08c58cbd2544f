// Formats and calls of a request as one grammar, and what is read of the texts that it allows.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { dialects, type Delta, type NotationText } from '../../src/chat/index.js';
import { present, type JsonObject } from '../../src/base/index.js';
import { buildGrammar, type BuiltGrammar } from '../../src/completion/grammars/build-grammar.js';
import { createGrammarCompiler } from '../../src/completion/grammars/grammar-compiler.js';
import { toCallsRequest, type GrammarRequest } from '../../src/completion/grammars/grammar-request.js';
import type { ToolCallRule } from '../../src/completion/index.js';
import { compileGrammar, GrammarWalk } from '../../src/grammar/index.js';
import { createRandom, createSampler } from '../grammar/sample.js';
import { examples } from '../chat/dialect-answers.js';
import { toolSchema } from './tool-schemas.js';

const notation = present(dialects.hermes.calls, 'hermes writes calls');
const callable = Object.values(dialects).filter(({ calls }) => calls !== null);

const tool = (name: string, parameters?: JsonObject, strict?: boolean): JsonObject => ({
  type: 'function',
  function: { name, ...(parameters && { parameters }), ...(strict !== undefined && { strict }) },
});

const calls = (tools: readonly JsonObject[], toolChoice?: ToolCallRule, isSingle = false): GrammarRequest => ({
  calls: toCallsRequest({ tools, toolChoice, isSingle, toolSchema: (index) => `tools[${index}]` }, notation),
});

const acceptor = ({ grammar }: BuiltGrammar): ((text: string) => boolean) => {
  const walk = new GrammarWalk(compileGrammar(grammar));
  return (text) => walk.start().advance(new TextEncoder().encode(text))?.canEnd === true;
};

const city = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const call = (name: string, args: string): string =>
  `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;
const required = { isRequired: true };

describe('calls', () => {
  it('are all that may come where one is required', () => {
    const accepts = acceptor(buildGrammar(calls([tool('f', city), tool('g')], required)));
    expect(accepts(call('f', '{"city": "Oslo"}'))).toBe(true);
    expect(accepts(`${call('g', '{}')}\n${call('f', '{"city": ""}')}`)).toBe(true);
    for (const wrong of [
      '',
      'Hello',
      call('h', '{}'),
      call('f', '{}'),
      call('f', '{"city": 1}'),
      ` ${call('g', '{}')}`,
    ])
      expect([wrong, accepts(wrong)]).toEqual([wrong, false]);
  });

  it('are of the named tools alone, and one where one is all that may be', () => {
    const named = acceptor(buildGrammar(calls([tool('f'), tool('g')], { isRequired: true, names: ['g'] })));
    expect([named(call('g', '{}')), named(call('f', '{}'))]).toEqual([true, false]);
    const single = acceptor(buildGrammar(calls([tool('f')], required, true)));
    expect([single(call('f', '{}')), single(`${call('f', '{}')}\n${call('f', '{}')}`)]).toEqual([true, false]);
  });

  it('stand in any text where none is required, and what opens one is one', () => {
    const accepts = acceptor(buildGrammar(calls([tool('f', city)])));
    for (const fine of [
      '',
      'Hello <tool>',
      `Well.\n${call('f', '{"city": "x"}')}\n`,
      `a${call('f', '{"city": "x"}')}b${call('f', '{"city": "y"}')}`,
    ])
      expect([fine, accepts(fine)]).toEqual([fine, true]);
    for (const wrong of ['<tool_call>', 'x<tool_call>y', call('f', '{}'), `${call('f', '{"city": "x"}')}<tool_call>`])
      expect([wrong, accepts(wrong)]).toEqual([wrong, false]);
  });

  it('or a format: an answer has the one or the other', () => {
    const both = {
      ...calls([tool('f')]),
      format: { format: { kind: 'choice', options: ['yes', 'no'] }, field: 'x' },
    } as const;
    const accepts = acceptor(buildGrammar(both));
    expect(['yes', 'no', call('f', '{}')].map(accepts)).toEqual([true, true, true]);
    expect(['', 'yes no', `yes${call('f', '{}')}`, 'free text'].map(accepts)).toEqual([false, false, false, false]);
  });

  const unheld = { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } };

  it('of a tool whose schema cannot be held are as the model likes, and named; a strict one is refused', () => {
    const { unenforced } = buildGrammar(calls([tool('f', unheld)]));
    expect(unenforced).toEqual([expect.stringMatching(/^tools\[0\].*uniqueItems$/)]);
    const strict = calls([tool('g'), tool('f', unheld, true)]);
    expect(() => buildGrammar(strict)).toThrow(expect.objectContaining({ code: 'unsupported_schema' }));
    expect(() => buildGrammar(calls([tool('f', unheld)], required))).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ param: 'tools[0]' }) as unknown }),
    );
    expect(buildGrammar(calls([tool('f', unheld, false)], required)).unenforced).toHaveLength(1);
  });
});

describe('arguments', () => {
  const open = { type: 'object', properties: { a: { type: 'string' } } };
  const more = call('f', '{"a": "x", "b": 1}');
  const acceptsIn = (request: GrammarRequest): boolean => acceptor(buildGrammar(request))(more);

  it('of a forced call, and of a strict tool, have the properties of their schema alone', () => {
    expect(acceptsIn(calls([tool('f', open)], required))).toBe(false);
    expect(acceptsIn(calls([tool('f', open, true)]))).toBe(false);
    expect(acceptsIn(calls([tool('f', open)]))).toBe(true);
    // A schema that says otherwise has its way.
    expect(acceptsIn(calls([tool('f', { ...open, additionalProperties: true })], required))).toBe(true);
  });

  it('of a tool that declares none are empty', () => {
    for (const parameters of [undefined, {}]) {
      for (const choice of [required, undefined]) {
        const accepts = acceptor(buildGrammar(calls([tool('f', parameters)], choice)));
        expect([call('f', '{}'), call('f', '{"a": 1}')].map(accepts)).toEqual([true, false]);
      }
    }
  });
});

/** Of each dialect 200 in a long suite (forced-calls.test.ts). */
it.each(callable.map((dialect) => [dialect.name, dialect === dialects.hermes ? 200 : 25, dialect] as const))(
  'what the grammar of %s makes for %s schemas is read as calls whose arguments are valid, however it is cut',
  (_, numSchemas, dialect) => {
    const ajv = new Ajv2020({ strict: false });
    const random = createRandom(1);
    for (let seed = 0; seed < numSchemas; seed++) {
      const own = present(dialect.calls, 'it writes calls');
      const schema = toolSchema(seed, own.elements !== undefined);
      const asked = toCallsRequest(
        { tools: [tool('first', schema), tool('empty')], toolChoice: required, isSingle: false, toolSchema: String },
        own,
      );
      const built = buildGrammar({ calls: asked });
      const validate = ajv.compile(schema);
      const text = createSampler(built.grammar)(random);
      const parser = dialect.createParser({
        tools: true,
        parametersOf: (name) => (name === 'first' ? schema : undefined),
      });
      const deltas: Delta[] = [];
      for (let at = 0; at < text.length;) {
        const size = 1 + Math.floor(random() * 9);
        deltas.push(...parser.push({ text: text.slice(at, at + size) }));
        at += size;
      }
      deltas.push(...parser.end());
      expect(
        deltas.filter(({ type, ...rest }) => type !== 'toolCall' && !/^\n*$/.test((rest as { text: string }).text)),
      ).toEqual([]);
      const made: { name: string; text: string }[] = [];
      for (const delta of deltas) {
        if (delta.type !== 'toolCall') continue;
        if (delta.name !== undefined) made.push({ name: delta.name, text: '' });
        present(made.at(-1), 'a name comes first').text += delta.argumentsText;
      }
      expect(made.length).toBe(parser.completeCalls);
      expect(made.length).toBeGreaterThan(0);
      for (const { name, text: args } of made) {
        expect(['first', 'empty']).toContain(name);
        if (name === 'first') expect([args, validate(JSON.parse(args))]).toEqual([args, true]);
      }
    }
  },
);

/** The first of the texts that a notation allows, which is no pattern. */
function textOf([text]: readonly NotationText[]): string {
  if (typeof text !== 'string') throw new Error('the first is a text');
  return text;
}

describe.each(callable.map((dialect) => [dialect.name, dialect] as const))(
  'calls in the notation of %s',
  (name, dialect) => {
    const own = present(dialect.calls, 'it writes calls');
    const asked = (toolChoice?: ToolCallRule, isSingle = false): GrammarRequest => ({
      calls: toCallsRequest({ tools: [tool('f', city), tool('g')], toolChoice, isSingle, toolSchema: String }, own),
    });
    const sampleOf = (request: GrammarRequest): (() => string) => {
      const sample = createSampler(buildGrammar(request).grammar);
      const random = createRandom(3);
      return () => sample(random);
    };
    const namesIn = (text: string): string[] => {
      const parser = dialect.createParser({ tools: true, toolNames: ['f', 'g'], parametersOf: () => city });
      const deltas = [...parser.push({ text }), ...parser.end()];
      return deltas.flatMap((delta) => (delta.type === 'toolCall' ? (delta.name ?? []) : []));
    };

    it('are of the named tool, one where one may be, and sixteen at most', () => {
      const named = sampleOf(asked({ isRequired: true, names: ['g'] }));
      const single = sampleOf(asked(required, true));
      const several = sampleOf(asked(required));
      const counts = new Set<number>();
      for (let i = 0; i < 50; i++) {
        expect(namesIn(named())).toEqual(['g']);
        expect(namesIn(single())).toHaveLength(1);
        counts.add(namesIn(several()).length);
      }
      expect(counts.size).toBeGreaterThan(1);
      const [begin = ''] = own.bare === undefined ? own.begin : [''];
      const one = `${textOf(own.open('g'))}${own.elements === undefined ? '{}' : ''}${textOf(own.close)}`;
      const row = (count: number): string =>
        begin + Array.from({ length: count }, () => one).join(own.between) + own.end;
      const accepts = acceptor(buildGrammar(asked(required)));
      expect([1, 2, 16, 17].map((count) => accepts(row(count)))).toEqual([true, true, true, false]);
    });

    it('fit the schemas where the model may write what it likes: text that is read as a call is one', () => {
      const accepts = acceptor(buildGrammar(asked()));
      for (const text of ['', 'Hello [world] {"name": 1}', '{"city": "x"}', '[{"name": "f"}]', '\n\n{"name": "h"}']) {
        expect([text, accepts(text)]).toEqual([text, true]);
      }
      const { write } = examples[name as keyof typeof examples];
      const isText = own.elements !== undefined;
      for (const [argumentsText, isFit] of [
        ['{"city": "x"}', true],
        ['{"town": "x"}', false],
        ['{"city": {}}', isText],
        ['{"city": 1}', isText],
        ...(isText ? [] : ([['{"city": "]}}', false]] as const)),
      ] as const) {
        const both = [
          { name: 'g', argumentsText: '{}' },
          { name: 'f', argumentsText },
        ];
        for (const text of [write(both.slice(1)), write(both)]) expect([text, accepts(text)]).toEqual([text, isFit]);
      }
      for (const trigger of own.triggers) {
        expect([`Hi. ${trigger}`, `${trigger} and so`].map(accepts)).toEqual([false, false]);
      }
    });
  },
);

describe('the compiler', () => {
  const signal = new AbortController().signal;

  it('compiles a grammar once, names what is wrong by its field, and goes on', async () => {
    await using compiler = createGrammarCompiler();
    const asked: GrammarRequest = { format: { format: { kind: 'regex', pattern: 'a+' }, field: 'guided_regex' } };
    const [first, second] = await Promise.all([compiler.compile(asked, signal), compiler.compile(asked, signal)]);
    expect(first).toBe(second);
    const wrong: GrammarRequest = { format: { format: { kind: 'gbnf', text: 'root ::= (' }, field: 'grammar' } };
    await expect(compiler.compile(wrong, signal)).rejects.toMatchObject({
      code: 'invalid_grammar',
      details: { param: 'grammar' },
    });
    await expect(compiler.compile(wrong, signal)).rejects.toMatchObject({ code: 'invalid_grammar' });
    expect(await compiler.compile(asked, signal)).toBe(first);
  });

  it('leaves tools open that are too much together, but for those that must be held', async () => {
    await using compiler = createGrammarCompiler();
    const properties = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`name_${i}`, { type: 'string', pattern: `^[a-z]{${1000 + i}}$` }]),
    );
    const large = { type: 'object', properties };
    const tools = Array.from({ length: 12 }, (_, i) => tool(`large_${i}`, large));
    const request = calls([...tools, tool('small', city, true)]);
    const { compiled, unenforced } = await compiler.compile(request, signal);
    expect(unenforced).toEqual(tools.map((_, i) => `tools[${i}]`));
    const walk = new GrammarWalk(compiled);
    const accepts = (text: string): boolean => walk.start().advance(new TextEncoder().encode(text))?.canEnd === true;
    expect(accepts(call('large_3', '{"any": ["thing"]}'))).toBe(true);
    expect([call('small', '{"city": "x"}'), call('small', '{"any": 1}')].map(accepts)).toEqual([true, false]);
    const held = calls(tools.map((_, i) => tool(`large_${i}`, large, true)));
    await expect(compiler.compile(held, signal)).rejects.toMatchObject({ code: 'grammar_too_large' });
  });

  it('lets a caller go, and refuses what is too large', async () => {
    await using compiler = createGrammarCompiler();
    const leaving = AbortSignal.abort(new Error('left'));
    const asked: GrammarRequest = { format: { format: { kind: 'regex', pattern: 'b+' }, field: 'x' } };
    await expect(compiler.compile(asked, leaving)).rejects.toThrow('left');
    const large: GrammarRequest = {
      format: { format: { kind: 'regex', pattern: '(a|b)*a(a|b){40}' }, field: 'guided_regex' },
    };
    await expect(compiler.compile(large, signal)).rejects.toMatchObject({ code: 'grammar_too_large' });
  });
});
