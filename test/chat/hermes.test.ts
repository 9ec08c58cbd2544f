import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectDialect, dialects, type Delta, type GeneratedText, type ParserOptions } from '../../src/chat/index.js';

interface Answer {
  reasoning: string;
  content: string;
  calls: { name: string; argumentsText: string }[];
  complete: number;
}

/** What `pieces` say, with all deltas joined; checks that each call's first delta, and only it, has a name. */
function parse(pieces: readonly (string | GeneratedText)[], options: ParserOptions = { tools: true }): Answer {
  const parser = dialects.hermes.createParser(options);
  const answer: Answer = { reasoning: '', content: '', calls: [], complete: 0 };
  const take = (deltas: readonly Delta[]): void => {
    for (const delta of deltas) {
      if (delta.type !== 'toolCall') answer[delta.type] += delta.text;
      else if (delta.name !== undefined) {
        expect(delta.index).toBe(answer.calls.length);
        answer.calls.push({ name: delta.name, argumentsText: delta.argumentsText });
      } else {
        expect(delta.index).toBe(answer.calls.length - 1);
        const call = answer.calls.at(-1);
        if (call !== undefined) call.argumentsText += delta.argumentsText;
      }
    }
  };
  for (const piece of pieces) take(parser.push(typeof piece === 'string' ? { text: piece } : piece));
  take(parser.end());
  answer.complete = parser.completeCalls;
  return answer;
}

/** The text with its tags as the added tokens of a tokenizer. */
function asSpecials(text: string): GeneratedText[] {
  return text
    .split(/(<\/?think>|<\/?tool_call>)/)
    .filter((piece) => piece !== '')
    .map((piece) => (dialects.hermes.tags.includes(piece) ? { text: '', special: piece } : { text: piece }));
}

const call = (name: string, argumentsText: string): string =>
  `<tool_call>\n{"name": "${name}", "arguments": ${argumentsText}}\n</tool_call>`;
const two = `<think>\nLet me see < this\n\n</think>\n\nI look.\n${call('f', '{"city": "Rome", "n": [1, 2.5e3]}')}\nand\n${call('g', '{}')}\n`;

const texts: [string, string, ParserOptions][] = [
  ['reasoning, content and two calls', two, { tools: true }],
  ['reasoning opened by the prompt', 'so it is\n</think>\n\nIt is.\n', { startsInReasoning: true }],
  ['reasoning that never closes', 'so it is\n', { startsInReasoning: true }],
  ['tags of calls without tools', two, {}],
  ['a call that is no JSON', 'Look:\n<tool_call>\nnot json\n</tool_call> done', { tools: true }],
  ['a call cut in its name', 'x\n<tool_call>\n{"name": "ab', { tools: true }],
  [
    'a call that breaks off in its arguments',
    '<tool_call>{"name": "a", "arguments": {"b": oops}}</tool_call>',
    { tools: true },
  ],
  [
    'a call without a closing brace',
    '<tool_call>{"name": "a", "arguments": {"b": 1}</tool_call>\nmore',
    { tools: true },
  ],
  ['a call with one brace too many', '<tool_call>{"name": "a", "arguments": {"b": 1}}}</tool_call>', { tools: true }],
  ['arguments before the name', '<tool_call>{"arguments": {"a": "}"}, "name": "f"}</tool_call>', { tools: true }],
  ['arguments in a string', '<tool_call>{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call>', { tools: true }],
  [
    'arguments in a string that is no JSON',
    '<tool_call>{"name": "f", "arguments": "{a: 1}"}</tool_call>',
    { tools: true },
  ],
  ['newlines and half a tag', '\n\n\n<thin\n\n<tool_cal\n\n', { tools: true }],
];

describe('the hermes dialect', () => {
  it('takes reasoning, content and calls apart and trims the newlines next to tags', () => {
    const expected: Answer = {
      reasoning: 'Let me see < this',
      content: 'I look.and',
      calls: [
        { name: 'f', argumentsText: '{"city": "Rome", "n": [1, 2.5e3]}' },
        { name: 'g', argumentsText: '{}' },
      ],
      complete: 2,
    };
    expect(parse([two])).toEqual(expected);
    expect(parse(asSpecials(two))).toEqual(expected);
  });

  it.each(texts)('reads %s alike however it is split', (_, text, options) => {
    const whole = parse([text], options);
    expect(parse(Array.from(text), options)).toEqual(whole);
    for (let at = 0; at <= text.length; at++)
      expect(parse([text.slice(0, at), text.slice(at)], options)).toEqual(whole);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        expect(
          parse(
            at.slice(1).map((end, i) => text.slice(at[i], end)),
            options,
          ),
        ).toEqual(whole);
      }),
    );
  });

  it.each(texts.filter(([name]) => !name.includes('half')))(
    'reads %s alike with tags as added tokens',
    (_, text, options) => {
      const whole = parse([text], options);
      expect(parse(asSpecials(text), options)).toEqual(whole);
      const characters = asSpecials(text).flatMap((piece) =>
        piece.special === undefined ? Array.from(piece.text, (character) => ({ text: character })) : [piece],
      );
      expect(parse(characters, options)).toEqual(whole);
    },
  );

  it('gives a call out when its object is closed, and nothing of it before', () => {
    const parser = dialects.hermes.createParser({ tools: true });
    expect(parser.push({ text: '', special: '<tool_call>' })).toEqual([]);
    const text = '\n{"name": "get_time", "arguments": {"city": "Oslo"}';
    for (const character of text) expect(parser.push({ text: character })).toEqual([]);
    expect([parser.completeCalls, parser.pending]).toEqual([0, '<tool_call>'.length + text.length]);
    expect(parser.push({ text: '}' })).toEqual([
      { type: 'toolCall', index: 0, name: 'get_time', argumentsText: '{"city": "Oslo"}' },
    ]);
    expect([parser.completeCalls, parser.pending]).toEqual([1, 0]);
  });

  it.each([
    ['missing arguments', '<tool_call>{"name": "f"}</tool_call>'],
    ['null arguments', '<tool_call>{"name": "f", "arguments": null}</tool_call>'],
    ['empty arguments', '<tool_call>{"name": "f", "arguments": {}}</tool_call>'],
    ['empty parameters', '<tool_call>{"name": "f", "parameters": {}}</tool_call>'],
  ])('reads %s as an empty object', (_, text) => {
    expect(parse([text])).toEqual({
      reasoning: '',
      content: '',
      calls: [{ name: 'f', argumentsText: '{}' }],
      complete: 1,
    });
  });

  it('hands a malformed call out as content, and loses nothing of it', () => {
    const text = 'Look:\n<tool_call>\n{"nome": "f"}\n</tool_call>';
    expect(parse([text])).toEqual({ reasoning: '', content: text, calls: [], complete: 0 });
    expect(parse(asSpecials(text)).content).toBe(text);
  });

  it('escapes raw control characters in the strings of arguments', () => {
    const answer = parse(['<tool_call>{"name": "f", "arguments": {"a": "x\ny\t"}}</tool_call>']);
    expect(answer.calls).toEqual([{ name: 'f', argumentsText: '{"a": "x\\ny\\t"}' }]);
  });

  it('takes the tag of reasoning only before any content', () => {
    expect(parse(['a <think>b</think>'])).toEqual({
      reasoning: '',
      content: 'a <think>b</think>',
      calls: [],
      complete: 0,
    });
  });

  it('keeps an end tag inside a string of the arguments', () => {
    const answer = parse(['<tool_call>{"name": "f", "arguments": {"a": "</tool_call>"}}</tool_call>']);
    expect(answer.calls).toEqual([{ name: 'f', argumentsText: '{"a": "</tool_call>"}' }]);
  });

  it('streams any JSON object through unchanged, in any pieces', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
        fc.integer({ min: 1, max: 9 }),
        (value, size) => {
          const argumentsText = JSON.stringify(value, null, size % 3);
          const text = `<tool_call>\n{"name": "f", "arguments": ${argumentsText}}\n</tool_call>`;
          const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
          expect(parse(pieces)).toEqual({
            reasoning: '',
            content: '',
            calls: [{ name: 'f', argumentsText }],
            complete: 1,
          });
        },
      ),
    );
  });

  it('loses no text of any mixture of tags, newlines and JSON', () => {
    const piece = fc.constantFrom(
      ...dialects.hermes.tags,
      '\n',
      '{',
      '}',
      '"name": "f"',
      '"arguments": {',
      ',',
      'x',
      '<',
      ' ',
      '\\',
      '"',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(400), (pieces, at) => {
        const text = pieces.join('');
        const whole = parse([text]);
        expect(parse([text.slice(0, at), text.slice(at)])).toEqual(whole);
        expect(parse(Array.from(text))).toEqual(whole);
        const letters = (whole.reasoning + whole.content + JSON.stringify(whole.calls)).split('x').length;
        if (whole.calls.length === 0) expect(letters).toBe(text.split('x').length);
      }),
      { numRuns: 2000 },
    );
  });

  it('costs linear time however many newlines come', () => {
    expect(parse(Array.from({ length: 20_000 }, () => '\n')).content).toHaveLength(20_000);
  });
});

describe('the plain dialect', () => {
  it('hands everything out as content', () => {
    const parser = dialects.plain.createParser({ tools: true });
    expect(parser.push({ text: '<think>' })).toEqual([{ type: 'content', text: '<think>' }]);
    expect(parser.push({ text: '', special: '<tool_call>' })).toEqual([{ type: 'content', text: '<tool_call>' }]);
    expect(parser.end()).toEqual([]);
  });
});

describe('detectDialect', () => {
  it('knows hermes by its template or its added tokens', () => {
    expect(detectDialect("{{ '<tool_call>' }}", () => false).name).toBe('hermes');
    expect(detectDialect(null, (content) => content === '<think>').name).toBe('hermes');
    expect(detectDialect("{{ '<|im_start|>' }}", () => false).name).toBe('plain');
    expect(detectDialect(null, () => false).name).toBe('plain');
  });
});
