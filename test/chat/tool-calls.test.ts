import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dialects, type GeneratedText } from '../../src/chat/index.js';

interface Call {
  readonly name: string;
  readonly argumentsText: string;
}

interface Answer {
  content: string;
  readonly calls: Call[];
}

/** What the pieces of an answer say. Every call comes whole, with a name and the JSON of an object. */
function parse(pieces: readonly (string | GeneratedText)[]): Answer {
  const parser = dialects.hermes.createParser({ tools: true });
  const answer: Answer = { content: '', calls: [] };
  const deltas = pieces.flatMap((piece) => parser.push(typeof piece === 'string' ? { text: piece } : piece));
  for (const delta of [...deltas, ...parser.end()]) {
    if (delta.type !== 'toolCall') {
      answer.content += delta.text;
      continue;
    }
    const { index, name, argumentsText } = delta;
    expect(index).toBe(answer.calls.length);
    expect(JSON.parse(argumentsText)).toBeTypeOf('object');
    expect(argumentsText).toMatch(/^\{.*\}$/s);
    expect(name).toBeTypeOf('string');
    answer.calls.push({ name: name ?? '', argumentsText });
  }
  expect(parser.completeCalls).toBe(answer.calls.length);
  return answer;
}

/** The text with its tags as added tokens, which every tokenizer makes of them. */
function asTokens(text: string): GeneratedText[] {
  const parts = text.split(/(<\/?think>|<\/?tool_call>)/).filter((part) => part !== '');
  return parts.map((part) => (dialects.hermes.tags.includes(part) ? { text: '', special: part } : { text: part }));
}

const letters = (pieces: readonly GeneratedText[]): GeneratedText[] =>
  pieces.flatMap((piece) => (piece.special === undefined ? piece.text.split('').map((text) => ({ text })) : [piece]));

/** The answer, after it was read whole, letter by letter, and both once more with tags as tokens. */
function parseAnyhow(text: string): Answer {
  const whole = parse([text]);
  for (const pieces of [text.split(''), asTokens(text), letters(asTokens(text))]) expect(parse(pieces)).toEqual(whole);
  return whole;
}

const wrap = (json: string): string => `<tool_call>\n${json}\n</tool_call>`;
const callOf = (argumentsText: string): string => wrap(`{"name": "f", "arguments": ${argumentsText}}`);
const f = (argumentsText: string): Call => ({ name: 'f', argumentsText });

describe('a tool call whose strings hold', () => {
  it.each(['echo </tool_call> test', 'a <tool_call></tool_call> b', '</tool_call>', '<think>', '{"}', ']}{[', '\\'])(
    '%s keeps it as text',
    (text) => {
      const argumentsText = JSON.stringify({ text });
      expect(parseAnyhow(callOf(argumentsText))).toEqual({ content: '', calls: [f(argumentsText)] });
    },
  );

  it.each([
    ['a path', String.raw`C:\Users\me`, String.raw`C:\Users\me`],
    ['a regular expression', String.raw`\d+\.\w[\s]`, String.raw`\d+\.\w[\s]`],
    ['an apostrophe', String.raw`it\'s`, "it's"],
    ['a short \\u', String.raw`\u12`, String.raw`\u12`],
    ['a short \\u before an escape', String.raw`\u1\n`, '\\u1\n'],
    ['a \\u of names', String.raw`\users \u{1F600}`, String.raw`\users \u{1F600}`],
    ['raw newlines and tabs', 'a\n\tb', 'a\n\tb'],
    ['a backslash before a newline', 'a\\\nb', 'a\\\nb'],
    ['a surrogate pair as escapes', String.raw`\ud83d\ude00`, '😀'],
    ['every escape that JSON has', String.raw`\"\\\/\b\f\n\r\té`, '"\\/\b\f\n\r\té'],
  ])('%s has it repaired, and no more', (_, raw, value) => {
    const { content, calls } = parseAnyhow(callOf(`{"text": "${raw}"}`));
    expect(content).toBe('');
    expect(calls.map(({ argumentsText }) => JSON.parse(argumentsText) as unknown)).toEqual([{ text: value }]);
  });

  it('any letters is read as a slow twin reads it', () => {
    const letter = fc.constantFrom(...'\\\\\\\\uudn0aF\'"/{}\n\t é😀', '\\"', '</tool_call>', '\\u00e9');
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 20 }), (some) => {
        const raw = some.join('').replaceAll(/\\.|"/gs, (pair) => (pair === '"' ? '\\"' : pair)) + ' ';
        const json = raw.replaceAll(/\\(u[0-9a-fA-F]{4}|["\\/bfnrt]|')|[\\\n\t]/g, (found, escape: string) => {
          if (escape === "'") return "'";
          if (escape !== undefined) return found;
          return JSON.stringify(found).slice(1, -1);
        });
        expect(parse([callOf(`{"text": "${raw}"}`)])).toEqual({ content: '', calls: [f(`{"text": "${json}"}`)] });
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the arguments of a call', () => {
  it.each([
    ['an object', '{"a": 1.0, "10": 1e3, "2": -0, "b": 12345678901234567890}'],
    ['an object with a key twice', '{"a": 1, "a": 2}'],
  ])('that are %s stay as they are written', (_, text) => {
    expect(parseAnyhow(callOf(text)).calls).toEqual([f(text)]);
  });

  it.each(['null', '""', '" \\n"', '"null"', '"{}"', '{}'])('%s are {}', (text) => {
    expect(parseAnyhow(callOf(text))).toEqual({ content: '', calls: [f('{}')] });
  });

  it.each([
    ['an object', String.raw`"{\"a\": [1]}"`, '{"a": [1]}'],
    ['an object with blanks around it', String.raw`" {\"a\": 1}\n"`, '{"a": 1}'],
    ['an object with an escape that JSON lacks', String.raw`"{\"a\": \"\\d\"}"`, String.raw`{"a": "\\d"}`],
  ])('that are a string of %s are the object', (_, text, object) => {
    expect(parseAnyhow(callOf(text)).calls).toEqual([f(object)]);
  });

  it.each(['[]', '[{"a": 1}]', '5', 'true', '"Rome"', '"[1]"', '"5"', String.raw`"\"{}\""`, '"{a: 1}"'])(
    '%s are none: the whole stays content',
    (text) => {
      expect(parseAnyhow(callOf(text))).toEqual({ content: callOf(text), calls: [] });
    },
  );

  it('may be very long, and as deep as the limit', () => {
    const long = JSON.stringify({ text: 'x"</tool_call>'.repeat(20_000) });
    expect(parse([callOf(long)]).calls).toEqual([f(long)]);
    const nested = (depth: number): string => `{"a": ${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(parse([callOf(nested(62))]).calls).toEqual([f(nested(62))]);
    expect(parse([callOf(nested(63))])).toEqual({ content: callOf(nested(63)), calls: [] });
  });
});

describe('an answer with', () => {
  const good = callOf('{"a": 1}');

  it.each([
    ['a call without its closing tag at the end', good.slice(0, good.indexOf('\n</')), '', [f('{"a": 1}')]],
    ['a call without its last brace', wrap('{"name": "f", "arguments": {"a": 1}'), '', [f('{"a": 1}')]],
    ['a call that only lacks its last brace', '<tool_call>{"name": "f", "arguments": {}', '', [f('{}')]],
    ['text between two calls', `${good}\nand\n${good}`, 'and', [f('{"a": 1}'), f('{"a": 1}')]],
    ['text before the closing tag', good.replace('\n</', ' trailing</'), ' trailing', [f('{"a": 1}')]],
    ['arguments before the name', wrap('{"arguments": {"a": "}"}, "name": "f"}'), '', [f('{"a": "}"}')]],
    ['parameters for arguments', wrap('{"name": "f", "parameters": {"a": 1}}'), '', [f('{"a": 1}')]],
    ['no arguments', wrap('{"name": "f"}'), '', [f('{}')]],
    ['other members', wrap('{"id": 7, "name": "f", "arguments": {}, "x": {"name": "g"}}'), '', [f('{}')]],
    ['a name twice', wrap('{"name": "e", "name": "f", "arguments": {}}'), '', [f('{}')]],
    ['an escape in its name', wrap(String.raw`{"n\u0061me": "\u0066", "arguments": {}}`), '', [f('{}')]],
    ['a broken call before a good one', `${callOf('{"a": oops}')}${good}`, callOf('{"a": oops}'), [f('{"a": 1}')]],
  ])('%s', (_, text, content, calls) => {
    expect(parseAnyhow(text)).toEqual({ content, calls });
  });

  it.each([
    ["Python's repr", wrap("{'name': 'f', 'arguments': {'a': 1}}")],
    ['words of Python', callOf('{"a": True}')],
    ['a value that is no JSON', callOf('{"a": oops}')],
    ['a comma too many', callOf('{"a": 1,}')],
    ['a bracket that does not match', callOf('{"a": [1}')],
    ['arguments without their brace', wrap('{"name": "f", "arguments": {"a": [1]')],
    ['a string without its quote', wrap('{"name": "f", "arguments": {"a": "x}}')],
    ['no name', wrap('{"arguments": {}}')],
    ['an empty name', wrap('{"name": "", "arguments": {}}')],
    ['a name that is no string', wrap('{"name": 5, "arguments": {}}')],
    ['a list of calls', wrap('[{"name": "f", "arguments": {}}]')],
    ['a fence', wrap('```json\n{"name": "f", "arguments": {}}\n```')],
    ['only a name', wrap('{"name": "f"')],
    ['nothing', wrap('')],
  ])('a call of %s has it as content, whole', (_, text) => {
    expect(parseAnyhow(text)).toEqual({ content: text, calls: [] });
    for (const before of ['Look:\n\n', ' \n', '\n']) {
      expect(parseAnyhow(before + text)).toEqual({ content: before + text, calls: [] });
    }
  });

  it('a call that ends anywhere has it as content, or as the call when no more than its last brace is missing', () => {
    const text = callOf(String.raw`{"a": "x\u00e9\\", "b": [1, {}]}`);
    const lastBrace = text.lastIndexOf('}');
    for (let end = 1; end <= text.length; end++) {
      const cut = text.slice(0, end);
      const { content, calls } = parse([cut]);
      expect(parse(cut.split(''))).toEqual({ content, calls });
      expect(calls).toHaveLength(end >= lastBrace ? 1 : 0);
      if (end < lastBrace) expect(content).toBe(cut);
    }
  });
});

describe('whatever a model writes', () => {
  const piece = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(callOf('{"a": "b", "c": [1, null]}'), callOf('{}'), wrap('{"name": "f"}')),
    },
    { weight: 1, arbitrary: fc.constantFrom('\n', 'so ', '<tool_ca', '<tool_call>', '</tool_call>') },
    { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 2 }).map((value) => callOf(JSON.stringify(value))) },
  );
  const damage = fc.record({
    at: fc.nat(400),
    drop: fc.nat(3),
    text: fc.constantFrom('', '"', '\\', '{', '}', ',', "'", '\n', '\\u', '</tool_call>', '<tool_call>', '😀', ' '),
  });
  const answer = fc
    .tuple(fc.array(piece, { maxLength: 4 }), fc.array(damage, { maxLength: 3 }))
    .map(([pieces, damages]) =>
      damages.reduce((text, { at, drop, text: added }) => {
        const start = Math.min(at, text.length);
        return text.slice(0, start) + added + text.slice(start + drop);
      }, pieces.join('')),
    );

  it('is read alike in any pieces, and every call is the JSON of an object', () => {
    fc.assert(
      fc.property(answer, fc.array(fc.nat(400), { maxLength: 5 }), (text, cuts) => {
        const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, i) => text.slice(places[i], end));
        const whole = parse([text]);
        expect(parse(pieces)).toEqual(whole);
        expect(parse(text.split(''))).toEqual(whole);
        // Of text only newlines beside tags are dropped.
        if (whole.calls.length === 0) expect(whole.content.replaceAll('\n', '')).toBe(text.replaceAll('\n', ''));
      }),
      { numRuns: 2000 },
    );
  });
});
