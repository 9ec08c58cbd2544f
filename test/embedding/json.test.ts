import { Type } from 'typebox';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createEngine, type ChatMessage, type JsonRequest, type Usage } from '../../src/index.js';

const OSLO: ChatMessage[] = [{ role: 'user', content: 'What is the capital of Norway?' }];
/** Without reasoning, which takes as long as it likes at high temperatures. */
const AT_ONCE = { messages: OSLO, enable_thinking: false, max_tokens: 200 };
const City = Type.Object({ city: Type.String({ maxLength: 12 }), isCapital: Type.Boolean() });

const engine = await createEngine({ placement: 'inline' });
const model = await engine.load('demo');
afterAll(() => engine.close());

describe('a value of a schema', () => {
  it('is of a TypeBox schema, whole, and with no property that it does not name', async () => {
    const place = await model.json(City, { messages: OSLO, temperature: 0 });
    expect(Object.keys(place)).toEqual(['city', 'isCapital']);
    expect(place.city).toContain('Oslo');
    expect(typeof place.isCapital).toBe('boolean');
  });

  it('is of a Zod schema, after its transforms and defaults', async () => {
    const schema = z.object({
      city: z.enum(['Oslo', 'Rome']).transform((name) => name.length),
      note: z.enum(['none']).default('none'),
    });
    const { city, note } = await model.json(schema, { messages: OSLO, temperature: 0 });
    expect(city.toFixed()).toBe('4');
    expect(note).toBe('none');
  });

  it('is of a schema as JSON, of messages alone, and of any draw', async () => {
    const schema = { type: 'array', items: { enum: ['a', 1, null] }, minItems: 2, maxItems: 3 };
    for (let seed = 0; seed < 6; seed++) {
      const value = await model.json(schema, { ...AT_ONCE, seed, temperature: 2 });
      expect(value).toSatisfy((list: unknown[]) => list.length >= 2 && list.length <= 3);
      expect(value).toSatisfy((list: unknown[]) => list.every((item) => ['a', 1, null].includes(item as string)));
    }
    expect(await model.json({ const: { a: [1] } }, OSLO)).toEqual({ a: [1] });
  });

  it('comes after the reasoning of a model that thinks', async () => {
    let usage: Usage | undefined;
    const onUsage = (told: Usage): void => void (usage = told);
    const request = { messages: OSLO, temperature: 0, enable_thinking: true };
    expect(await model.json({ enum: ['Oslo', 'Rome'] }, request, { onUsage, caller: 'me' })).toBe('Oslo');
    expect(usage?.completion_tokens_details.reasoning_tokens).toBeGreaterThan(3);
  });

  it('is refused where the answer ends before it is whole, and the error has none of its text', async () => {
    const long = Type.Array(Type.Literal('Oslo'), { minItems: 100 });
    const cut = model.json(long, { messages: OSLO, max_tokens: 9 });
    await expect(cut).rejects.toMatchObject({ code: 'answer_incomplete', details: { completionTokens: 9 } });
    await expect(cut).rejects.not.toMatchObject({ message: expect.stringContaining('Oslo') });
    // Reasoning took all of it.
    const silent = model.json(City, { messages: OSLO, max_tokens: 2, enable_thinking: true });
    await expect(silent).rejects.toMatchObject({ code: 'answer_incomplete', details: { length: 0 } });
  });

  it('is refused where the checks of its library refuse it', async () => {
    const never = 'the city must be elsewhere';
    const zod = z.object({ city: z.enum(['Oslo']).refine(() => false, never) });
    await expect(model.json(zod, OSLO)).rejects.toMatchObject({
      code: 'answer_invalid',
      message: expect.stringContaining(`city: ${never}`),
    });
    const typebox = Type.Object({
      city: Type.Refine(
        Type.Literal('Oslo'),
        () => false,
        () => never,
      ),
    });
    await expect(model.json(typebox, OSLO)).rejects.toMatchObject({
      code: 'answer_invalid',
      message: expect.stringContaining(`city: ${never}`),
    });
  });

  it('ends with the reason of its signal', async () => {
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    await expect(model.json(City, OSLO, { signal })).rejects.toBe(reason);
    const long = Type.Array(Type.Literal('a'), { minItems: 500 });
    await expect(model.json(long, OSLO, { signal: AbortSignal.timeout(30) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });
});

describe('a schema', () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;

  it.each<readonly [string, unknown, string, RegExp]>([
    ['a text', 'string', 'invalid_value', /^schema is a string of 6 characters; it must be/],
    ['a list', [], 'invalid_value', /^schema is an array/],
    ['a circle', circle, 'invalid_value', /^schema is no JSON/],
    ['a function', () => true, 'invalid_value', /^schema is no JSON/],
    ['Zod’s without a form in JSON', z.object({ at: z.date() }), 'unsupported_schema', /"zod"/],
    [
      'a library’s that writes no JSON Schema',
      { '~standard': { version: 1, vendor: 'old', validate: () => ({ value: 1 }) } },
      'unsupported_schema',
      /"old".*Zod does from 4\.2 on/,
    ],
    ['one that cannot be held', { pattern: String.raw`^(a)\1$` }, 'unsupported_schema', /^schema: .*\/pattern/],
    ['one that nothing fits', { enum: [1], type: 'string' }, 'unsatisfiable_schema', /^schema: /],
  ])('that is %s is refused', async (_, schema, code, message) => {
    await expect(model.json(schema as object, OSLO)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      details: { param: 'schema' },
    });
  });

  it('that cannot be held is left open where that is asked, and its library judges', async () => {
    const schema = z.object({
      word: z
        .string()
        .max(2)
        .regex(/^(.)\1$/),
    });
    await expect(model.json(schema, OSLO)).rejects.toMatchObject({ code: 'unsupported_schema' });
    for (let seed = 0; seed < 4; seed++) {
      const found = await model.json(schema, { ...AT_ONCE, seed }, { strict: false }).catch((error: unknown) => error);
      expect(found).toSatisfy(
        ({ word, code }: { word?: string; code?: string }) =>
          code === 'answer_invalid' || (word?.length === 2 && word[0] === word[1]),
      );
    }
  });
});

describe('a request for a value', () => {
  it.each(['response_format', 'guided_regex', 'grammar', 'tools', 'n', 'stream', 'stop', 'logprobs'])(
    'is refused with %s',
    async (field) => {
      const request = { messages: OSLO, [field]: field === 'n' ? 2 : true } as JsonRequest;
      await expect(model.json(City, request)).rejects.toMatchObject({
        code: 'invalid_value',
        details: { param: field },
      });
    },
  );

  it('takes what says nothing, and refuses what chat refuses', async () => {
    const nothing = { n: 1, tools: null, stream: false, response_format: undefined };
    expect(await model.json({ const: 1 }, { messages: OSLO, ...nothing })).toBe(1);
    const misspelt = { messages: OSLO, temprature: 1 } as JsonRequest;
    await expect(model.json(City, misspelt)).rejects.toMatchObject({ code: 'unknown_parameter' });
    await expect(model.json(City, OSLO, { sginal: 1 } as never)).rejects.toMatchObject({ code: 'invalid_option' });
    await expect(model.json(City, [])).rejects.toMatchObject({ code: 'invalid_value' });
  });
});
