// Bodies of requests with bytes changed: near to what is right, so that parsers go far into them.
import fc from 'fast-check';
import { expect } from 'vitest';
import { isAppError } from '../../src/base/index.js';
import { editRequest, scanRequest } from '../../src/relay/index.js';

const SEEDS: readonly string[] = [
  '{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":false}}',
  '{"model":"m","prompt":["a","b"],"n":2,"best_of":3,"max_tokens":16,"temperature":0.7,"cache_salt":"s"}',
  '{"\\u006dodel":"\\ud83d\\ude00","input":[[1,2],[3]],"x":{"model":"no","__proto__":{"polluted":true}}}',
  ' {\r\n\t"model" : "m" , "max_completion_tokens" : 1e3 , "stop" : null } ',
  '{}',
];

/** What bytes may become. */
const TOKENS: readonly string[] = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u',
  '\\u0000',
  '\\ud800',
  '0',
  '-',
  'e',
  '.',
  '1e400',
  'true',
  'null',
  '"model"',
  '"model":"x"',
  '"stream":true',
  '"n":1',
  ' ',
  '\n',
  '\0',
  '\xff',
  '\xc3',
  '\xef\xbb\xbf',
  '__proto__',
];

/** One change: at a place, so many bytes give way to a text. */
const change = fc.record({
  at: fc.nat({ max: 200 }),
  drop: fc.nat({ max: 4 }),
  put: fc.oneof(fc.constantFrom(...TOKENS), fc.string({ maxLength: 3 })),
});

/** A seed with one to five changes. */
export const mutatedBodies: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.constantFrom(...SEEDS), fc.array(change, { minLength: 1, maxLength: 5 }))
  .map(([seed, changes]) => {
    let text = Buffer.from(seed).toString('latin1');
    for (const { at, drop, put } of changes) {
      const place = at % (text.length + 1);
      text = text.slice(0, place) + put + text.slice(place + drop);
    }
    return Buffer.from(text, 'latin1');
  });

/** What is known of a body; undefined: it is refused. */
export function tryScan(bytes: Uint8Array): ReturnType<typeof scanRequest> | undefined {
  try {
    return scanRequest(bytes);
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}

/** Reads a body here and with JSON.parse, and after it was edited too. */
export function checkMutation(bytes: Uint8Array): void {
  const facts = tryScan(bytes);
  if (facts === undefined) return;
  const parsed = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>;
  const { model } = parsed;
  if (typeof model === 'string' && model.length < 1_000) expect(facts.model).toBe(model);
  else expect(facts.model).toBeUndefined();
  expect(facts.stream).toBe(parsed['stream'] === true);
  const edited = Buffer.concat(editRequest(bytes, facts, { model: 'renamed', cacheSalt: 'salt', includeUsage: true }));
  const after = JSON.parse(edited.toString('utf8')) as Record<string, unknown>;
  expect([after['model'], after['cache_salt']]).toEqual(['renamed', 'salt']);
}
