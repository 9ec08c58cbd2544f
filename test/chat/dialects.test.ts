// Every dialect that has calls: what its models write is read alike however it is cut, and what is none stays content.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dialects, type ModelDialect, type ElementNotation, type GeneratedText } from '../../src/chat/index.js';
import { present } from '../../src/base/index.js';
import { examples, type Call } from './dialect-answers.js';

interface Answer {
  reasoning: string;
  content: string;
  readonly calls: Call[];
}

const toolNames = ['f', 'g', 'get_time', 'mcp-tool_2'];

/** JSON Schemas of the tools that are called so: the types of their arguments. */
function schemasOf(calls: readonly Call[]): (name: string) => unknown {
  const typeOf = (value: unknown): string =>
    value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'object' ? 'object' : typeof value;
  return (called) => {
    const made = JSON.parse(calls.find(({ name }) => name === called)?.argumentsText ?? '{}') as object;
    const properties = Object.entries(made).map(([key, value]) => [key, { type: typeOf(value) }]);
    return { type: 'object', properties: Object.fromEntries(properties) as unknown };
  };
}

/** Elements are written out as JSON in our own way. */
function asWritten({ calls: notation }: ModelDialect, text: string): string {
  return notation?.elements === undefined ? text : JSON.stringify(JSON.parse(text));
}

/**
 * What the pieces of an answer say. Every call comes whole, with a name and the JSON of an object. `expected`: calls of which
 * the tools' schemas know the types.
 */
function parse(
  dialect: ModelDialect,
  pieces: readonly GeneratedText[],
  expected: readonly Call[] = [],
  dropsCalls = false,
): Answer {
  const parser = dialect.createParser({ tools: !dropsCalls, dropsCalls, toolNames, parametersOf: schemasOf(expected) });
  const answer: Answer = { reasoning: '', content: '', calls: [] };
  for (const delta of [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()]) {
    if (delta.type !== 'toolCall') answer[delta.type] += delta.text;
    else {
      if (delta.index !== answer.calls.length || Array.isArray(JSON.parse(delta.argumentsText)))
        expect.fail(`call ${answer.calls.length} comes as ${JSON.stringify(delta)}`);
      answer.calls.push({
        name: present(delta.name, 'a call comes whole'),
        argumentsText: asWritten(dialect, delta.argumentsText),
      });
    }
  }
  const ended = [parser.completeCalls, parser.pending];
  if (ended[0] !== answer.calls.length || ended[1] !== 0) expect(ended).toEqual([answer.calls.length, 0]);
  return answer;
}

/** The text with its tags as added tokens, which tokenizers make of them. */
function asTokens(text: string, tags: readonly string[]): GeneratedText[] {
  const pieces: GeneratedText[] = [];
  for (let rest = text; rest !== '';) {
    const tag = tags.find((candidate) => rest.startsWith(candidate));
    if (tag === undefined) pieces.push({ text: rest.charAt(0) });
    else pieces.push({ text: '', special: tag });
    rest = rest.slice(tag?.length ?? 1);
  }
  return pieces;
}

/** What an answer says, which is the same in every cut. */
function parseAnyhow(dialect: ModelDialect, text: string, expected: readonly Call[] = []): Answer {
  const whole = parse(dialect, [{ text }], expected);
  const written = JSON.stringify(whole);
  const letters = text.split('').map((letter) => ({ text: letter }));
  const cuts = Array.from({ length: text.length + 1 }, (_, at) => [
    { text: text.slice(0, at) },
    { text: text.slice(at) },
  ]);
  for (const pieces of [...cuts, letters, asTokens(text, dialect.tags)]) {
    const answer = parse(dialect, pieces, expected);
    // Comparing texts costs a tenth of comparing objects, and there are thousands of cuts.
    if (JSON.stringify(answer) !== written) expect(answer).toEqual(whole);
  }
  return whole;
}

describe.each(Object.entries(examples))('calls of %s that may not be', (name, { write, others }) => {
  const dialect = present(Object.entries(dialects).find(([key]) => key === name)?.[1], name);
  const calls: Call[] = [
    { name: 'f', argumentsText: '{"a": "x"}' },
    { name: 'g', argumentsText: '{}' },
  ];
  const contentOf = (text: string): string => {
    const answers = [[{ text }], text.split('').map((letter) => ({ text: letter })), asTokens(text, dialect.tags)];
    const contents = answers.map((pieces) => parse(dialect, pieces, calls, true));
    for (const { calls: made } of contents) expect(made).toEqual([]);
    expect(new Set(contents.map(({ content }) => content)).size).toBe(1);
    return contents[0]?.content ?? '';
  };

  it('are left out, and what is no call stays', () => {
    expect(contentOf(write(calls))).toBe('');
    for (const [text, content] of others) expect(contentOf(text)).toBe(content);
    expect(contentOf('Nothing <b>of</b> that.')).toBe('Nothing <b>of</b> that.');
  });

  it('are left out where the answer is cut off in one, once it is one', () => {
    const text = write(calls);
    for (let at = text.indexOf('a'); at < text.length; at++) {
      const content = contentOf(text.slice(0, at));
      // A tag that is not whole yet may be text, as may an object that names no tool yet.
      const isBegun = dialect.tags.some((tag) => text.slice(0, at).includes(tag)) || text.slice(0, at).includes('"f"');
      if (isBegun) expect(text.slice(0, at).endsWith(content) && content.length < 24 ? '' : content).toBe('');
    }
  });
});

const said = (content: string, calls: readonly Call[] = []): Partial<Answer> => ({ content, calls: [...calls] });
/** Strings that hold what ends or opens something else. */
const traps = (tags: readonly string[]): string[] => [
  ...tags,
  '"}',
  ']}{[',
  '}\n```',
  ';{"name": "f", "parameters": {}}',
  '\\',
  'é😀\u2028',
  '"); DROP',
  '</tool_call>',
];

describe.each(Object.entries(examples))('the dialect %s', (name, { write, others, broken }) => {
  const dialect: ModelDialect = dialects[name as keyof typeof examples];
  const elements = dialect.calls?.elements;
  const callsOf = (...values: readonly object[]): Call[] =>
    values.map((value, i) => ({ name: toolNames[i % 4] ?? '', argumentsText: JSON.stringify(value) }));

  it('reads one call, and several', () => {
    for (const calls of [callsOf({}), callsOf({ a: [1, { b: null }] }, {}, { c: 'x y' })]) {
      expect(parseAnyhow(dialect, write(calls), calls)).toMatchObject(said('', calls));
    }
  });

  it('reads more than the calls that a grammar allows', () => {
    const many = callsOf(...Array.from({ length: 40 }, (_, i) => ({ i })));
    expect(parse(dialect, [{ text: write(many) }], many)).toMatchObject(said('', many));
  });

  it('takes tags and brackets in strings for text', () => {
    for (const trap of traps(dialect.tags).filter((text) => text !== elements?.closingTag)) {
      // Of the key of an element a tag is the end.
      const calls = callsOf({ [elements === undefined ? trap : 'key']: trap }, { a: [trap, trap] });
      expect(parseAnyhow(dialect, write(calls), calls)).toMatchObject(said('', calls));
    }
  });

  it.each(others)('reads %j', (text, content, calls) => {
    const written = calls.map((call) => ({ ...call, argumentsText: asWritten(dialect, call.argumentsText) }));
    expect(parseAnyhow(dialect, text, calls)).toMatchObject(said(content, written));
  });

  it.each(broken)('has %j as content, whole', (text) => {
    expect(parseAnyhow(dialect, text)).toMatchObject(said(text));
  });

  it('reads reasoning before calls', () => {
    if (dialect.reasoningTags === null) return;
    const { open, close } = dialect.reasoningTags;
    const text = `${open}Is it f?${close}\n\n${write([{ name: 'f', argumentsText: '{}' }])}`;
    expect(parseAnyhow(dialect, text)).toEqual({
      reasoning: 'Is it f?',
      ...said('', [{ name: 'f', argumentsText: '{}' }]),
    });
  });

  it('has calls as content where no tools were offered', () => {
    const text = write(callsOf({ a: 1 }));
    const parser = dialect.createParser({});
    const deltas = [...parser.push({ text }), ...parser.end()];
    expect(deltas.map((delta) => (delta.type === 'content' ? delta.text : '')).join('')).toBe(text);
  });

  it('reads any objects, cut anywhere', () => {
    const value = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom(...dialect.tags)), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 9 }), (values, size) => {
        const calls = callsOf(...values);
        fc.pre(elements === undefined || calls.every(({ argumentsText }) => areElements(argumentsText, elements)));
        const pieces = (write(calls).match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map((text) => ({ text }));
        expect(parse(dialect, pieces, calls)).toMatchObject(said('', calls));
      }),
    );
  });

  it('says the same of any mixture of its parts however it is cut, and loses no letter', () => {
    const parts = [
      ...dialect.tags,
      ...write(callsOf({ x: 1 }, {})).split(/(?<=\W)(?=\w)|(?<=\w)(?=\W)/),
      'x',
      '\n',
      ' ',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 25 }), fc.nat(300), (pieces, at) => {
        const text = pieces.join('');
        const whole = parse(dialect, [{ text }]);
        expect(parse(dialect, [{ text: text.slice(0, at) }, { text: text.slice(at) }])).toEqual(whole);
        expect(
          parse(
            dialect,
            text.split('').map((letter) => ({ text: letter })),
          ),
        ).toEqual(whole);
        if (whole.calls.length > 0) return;
        const count = (of: string): number => of.split('x').length;
        expect(count(whole.reasoning + whole.content)).toBe(count(withoutTags(text, dialect)));
      }),
      { numRuns: 300 },
    );
  });
});

/** Whether arguments can be elements: no name has a tag in it or blanks around it, and no value the closing tag. */
function areElements(argumentsText: string, { closingTag }: ElementNotation): boolean {
  const value = JSON.parse(argumentsText) as object;
  return (
    !argumentsText.includes(closingTag) && Object.keys(value).every((key) => !/[<>\n]/.test(key) && key === key.trim())
  );
}

/** Tags of reasoning are no text of it. */
function withoutTags(text: string, { reasoningTags }: ModelDialect): string {
  return reasoningTags === null ? text : text.replaceAll(reasoningTags.open, '').replaceAll(reasoningTags.close, '');
}

it('dialects without calls of their own say so', () => {
  const without = Object.values<ModelDialect>(dialects).filter(({ calls }) => calls === null);
  expect(without.map(({ name }) => name)).toEqual(['plain']);
  expect(Object.keys(dialects).filter((name) => !(name in examples))).toEqual(['plain']);
});
