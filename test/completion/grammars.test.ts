// Formats and calls of a request as one grammar, and what is read of the texts that it allows.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { dialects, type ChatDelta } from '../../src/chat/index.js';
import { present } from '../../src/base/index.js';
import { buildGrammar, type BuiltGrammar } from '../../src/completion/grammars/build-grammar.js';
import { createGrammarCompiler } from '../../src/completion/grammars/grammar-compiler.js';
import { toCallsRequest, type GrammarRequest } from '../../src/completion/grammars/grammar-request.js';
import type { JsonObject, ToolChoice } from '../../src/completion/index.js';
import { compileGrammar, GrammarWalk } from '../../src/grammar/index.js';
import { createRandom, createSampler } from '../grammar/sample.js';

const notation = present(dialects.hermes.calls, 'hermes writes calls');
const callable = Object.values(dialects).filter(({ calls }) => calls !== null);

const tool = (name: string, parameters?: JsonObject, strict?: boolean): JsonObject => ({
  type: 'function',
  function: { name, ...(parameters && { parameters }), ...(strict !== undefined && { strict }) },
});

const calls = (tools: readonly JsonObject[], toolChoice?: ToolChoice, isSingle = false): GrammarRequest => ({
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

/** Schemas of tools: nested, with quotes, braces and tags in names and values. */
function toolSchema(seed: number): JsonObject {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const names = ['city', 'a "b"', 'ä}', '</tool_call>', 'x\\y', '{', 'deep', 'n'];
  const value = (depth: number): JsonObject => {
    const kinds = ['string', 'number', 'integer', 'boolean', 'enum', 'null', ...(depth < 2 ? ['object', 'array'] : [])];
    const kind = pick(kinds);
    if (kind === 'object') return object(depth + 1);
    if (kind === 'array') return { type: 'array', items: value(depth + 1), maxItems: 3 };
    if (kind === 'enum') return { enum: ['</tool_call>', 'say "hi"', 'a\nb', '\u{1f986}', 7, null] };
    if (kind === 'string' && random() < 0.5) return { type: 'string', maxLength: 12 };
    return kind === 'integer' ? { type: kind, minimum: -5, maximum: 500 } : { type: kind };
  };
  const object = (depth: number): JsonObject => {
    const own = names.filter(() => random() < 0.4);
    const properties = Object.fromEntries(own.map((name) => [name, value(depth)]));
    return { type: 'object', properties, required: own.filter(() => random() < 0.6), additionalProperties: false };
  };
  return object(0);
}

it.each(callable.map((dialect) => [dialect.name, dialect] as const))(
  '200 schemas: what the grammar makes is read as calls whose arguments are valid, however it is cut: %s',
  (_, dialect) => {
    const ajv = new Ajv2020({ strict: false });
    const random = createRandom(1);
    for (let seed = 0; seed < 200; seed++) {
      const schema = toolSchema(seed);
      const asked = toCallsRequest(
        { tools: [tool('first', schema), tool('empty')], toolChoice: required, isSingle: false, toolSchema: String },
        present(dialect.calls, 'it writes calls'),
      );
      const built = buildGrammar({ calls: asked });
      const validate = ajv.compile(schema);
      const text = createSampler(built.grammar)(random);
      const parser = dialect.createParser({ tools: true });
      const deltas: ChatDelta[] = [];
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
