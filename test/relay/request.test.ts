import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editRequest, type RequestChanges } from '../../src/relay/request/edit-request.js';
import { RequestScan, scanRequest, type RequestFacts } from '../../src/relay/request/scan-request.js';

const facts = (text: string): RequestFacts => scanRequest(Buffer.from(text));
const edited = (text: string, changes: RequestChanges): string =>
  Buffer.concat([...editRequest(Buffer.from(text), facts(text), changes)]).toString();
const refusal = (text: string): unknown => {
  try {
    return facts(text);
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('the scan of a request', () => {
  it('finds what a relay acts on, and the size of what becomes tokens', () => {
    const messages = '[ {"role":"system","content":"a"}, {"role":"user","content":"b"} ,{"role":"x"}]';
    const text = `{ "mod\\u0065l" : "a\\/b", "stream":true,"stream_options":{"x":[1],"include_usage":true},"n":2,"best_of":3,
      "max_tokens":10,"max_completion_tokens":"20","cache_salt":"s","messages":${messages},"tools":[{}],"temperature":1e400}`;
    const found = facts(text);
    expect(found).toMatchObject({
      model: 'a/b',
      stream: true,
      includesUsage: true,
      n: 2,
      bestOf: 3,
      maxOutputTokens: 20,
      cacheSalt: 's',
      promptBytes: messages.length + 4,
      promptCount: 1,
    });
    const { start, end, itemEnds } = found.conversation ?? { start: 0, end: 0, itemEnds: [] };
    expect(text.slice(start, end)).toBe(messages);
    expect(text.slice(start, itemEnds[0])).toBe('[ {"role":"system","content":"a"}');
    expect(itemEnds).toHaveLength(2);
  });

  it('counts prompts that are answered each by itself', () => {
    const counts = ['"a"', '["a","b","c"]', '[1,2,3]', '[[1,2],[3]]', '[]', '[{"role":"user"}]'].map(
      (list) => facts(`{"prompt":${list}}`).promptCount,
    );
    expect(counts).toEqual([1, 3, 1, 2, 1, 1]);
    expect(facts('{"input":["a","b"]}').promptCount).toBe(2);
  });

  it('refuses a key that it acts on when it is there twice, escaped or in letters that some runtimes take for it', () => {
    const bodies = [
      '{"model":"a","model":"b"}',
      '{"model":"a","x":1,"\\u006dodel":"b"}',
      '{"Model":"a"}',
      '{"model":"a","MODEL":"b"}',
      '{"max_to\u212aens":1}',
      '{"\u017ftream":true}',
      '{"stream_options":{"include_usage":true,"include_usage":false}}',
      '{"stream_options":{"Include_Usage":true}}',
      '{"n":1,"n":2}',
      '{"messages":[],"messages":[]}',
    ];
    expect(bodies.map(refusal)).toEqual(bodies.map(() => 'request_key_ambiguous'));
    expect(facts('{"x":1,"x":2,"X":3,"messages":[{"model":1,"model":2}]}')).toMatchObject({ model: undefined });
  });

  it('refuses what is no JSON object, with nothing of the text in the message', () => {
    const bodies = [
      '',
      '[]',
      '"secret"',
      '{"a":secret}',
      '{"a":1}x',
      '\ufeff{}',
      '{"a":NaN}',
      `{"a":${'['.repeat(500)}`,
    ];
    expect(bodies.map(refusal)).toEqual(bodies.map(() => 'request_not_json'));
    expect(() => facts('{"a":secret}')).toThrowError(/see byte 5/);
    expect(() => facts('{"a":secret}')).not.toThrowError(/secret/);
    const broken = Buffer.from([...Buffer.from('{"model":"'), 0xff, ...Buffer.from('"}')]);
    expect(() => scanRequest(broken)).toThrowError(/UTF-8/);
  });
});

/** Members in any order, with names, values and whitespace of all sorts. */
const members = fc
  .uniqueArray(
    fc.oneof(
      fc.tuple(fc.constant('model'), fc.constantFrom('"a"', '"gr\\u00fc\\u00df"', 'null', '7')),
      fc.tuple(fc.constant('stream'), fc.constantFrom('true', 'false', '"true"')),
      fc.tuple(
        fc.constant('stream_options'),
        fc.constantFrom(
          '{}',
          'null',
          '{ "include_usage" : false }',
          '{"a":{"b":[1]}}',
          '{"include_usage":true}',
          '[1]',
          '{"include_usage":null,"z":1}',
        ),
      ),
      fc.tuple(fc.constant('cache_salt'), fc.constantFrom('"x"', 'null', '{"a":1}')),
      fc.tuple(fc.constant('seed'), fc.constantFrom('12345678901234567890123', '-0.0', '1E5')),
      fc.tuple(fc.string({ minLength: 9 }), fc.json()),
    ),
    { selector: ([name]) => name },
  )
  .chain((list) =>
    fc.tuple(
      fc.constant(list),
      fc.array(fc.constantFrom('', ' ', '\n\t'), { minLength: list.length * 4 + 2, maxLength: list.length * 4 + 2 }),
    ),
  )
  .map(([list, spaces]) => {
    const [before = '', inside = '', ...rest] = spaces;
    const space = (i: number): string => rest[i] ?? '';
    const text = list.map(
      ([name, value], i) =>
        `${space(4 * i)}${JSON.stringify(name)}${space(4 * i + 1)}:${space(4 * i + 2)}${value}${space(4 * i + 3)}`,
    );
    return `${before}{${inside}${text.join(',')}}`;
  });

describe('a change in a request', () => {
  it('changes what it shall, as JSON.parse reads it, and no other byte', () => {
    fc.assert(
      fc.property(
        members,
        fc.constantFrom('neu "x"', undefined),
        fc.constantFrom('salt', undefined),
        fc.boolean(),
        (text, model, cacheSalt, includeUsage) => {
          const before = JSON.parse(text) as Record<string, unknown>;
          const after = edited(text, { model, cacheSalt, includeUsage });
          const expected = { ...before };
          if (model !== undefined) expected['model'] = model;
          if (cacheSalt !== undefined) expected['cache_salt'] = cacheSalt;
          const options = before['stream_options'] ?? {};
          if (includeUsage && !Array.isArray(options)) expected['stream_options'] = { ...options, include_usage: true };
          expect(JSON.parse(after)).toEqual(expected);
          if (model === undefined && cacheSalt === undefined && !includeUsage) expect(after).toBe(text);
          // What stands before the first and behind the last changed byte is the same: the text without the changes is left.
          expect(after).toContain(/"seed"[^]*?([\d.E-]{3,})/.exec(text)?.[1] ?? '');
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('replaces the old value, or is added before the last brace', () => {
    expect(edited('{"seed":12345678901234567890,  "model" : "a" ,"é":"\\u00e9"}\n', { model: 'b' })).toBe(
      '{"seed":12345678901234567890,  "model" : "b" ,"é":"\\u00e9"}\n',
    );
    expect(edited('{ }', { cacheSalt: 's' })).toBe('{ "cache_salt":"s"}');
    expect(edited('{"a":1 } ', { cacheSalt: 's', includeUsage: true })).toBe(
      '{"a":1 ,"cache_salt":"s","stream_options":{"include_usage":true}} ',
    );
    expect(edited('{"stream_options":{ "a":1}}', { includeUsage: true })).toBe(
      '{"stream_options":{"include_usage":true, "a":1}}',
    );
    expect(edited('{"stream_options":{"include_usage":false}}', { includeUsage: true })).toBe(
      '{"stream_options":{"include_usage":true}}',
    );
  });

  it('finds the same in a body that comes in pieces', () => {
    const text = Buffer.from(
      '{"x":"é\\"","model":"ab","stream_options":{"include_usage":true},"prompt":["a",["b"]],"n":12}',
    );
    const whole = scanRequest(text);
    for (let size = 1; size < 12; size++) {
      const scan = new RequestScan();
      for (let at = 0; at < text.length; at += size) scan.write(text.subarray(at, at + size));
      expect(scan.end()).toEqual(whole);
    }
  });
});
