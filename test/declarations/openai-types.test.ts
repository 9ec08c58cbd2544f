import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp, type App } from './app.js';

const head = "import type OpenAI from 'openai';\nimport type { Model } from 'troupe';\ndeclare const model: Model;\n";
const user = "{ role: 'user', content: 'x' }";

/** Programs that compile. */
const right: Readonly<Record<string, string>> = {
  'a request that does not stream':
    'declare const p: OpenAI.ChatCompletionCreateParamsNonStreaming; void model.chat(p); void model.countTokens(p);',
  'a request that streams': 'declare const p: OpenAI.ChatCompletionCreateParamsStreaming; void model.stream(p);',
  'a request of either kind': 'declare const p: OpenAI.ChatCompletionCreateParams; void model.chat(p);',
  'the parameters of a client’s create':
    "declare const p: Parameters<OpenAI['chat']['completions']['create']>[0]; void model.chat(p);",
  'its messages':
    'declare const messages: OpenAI.ChatCompletionMessageParam[]; void model.chat({ messages }); void model.renderChat(messages); void model.countTokens(messages);',
  'messages that may not be changed':
    'declare const messages: readonly Readonly<OpenAI.ChatCompletionMessageParam>[]; void model.chat({ messages });',
  'messages as constants': `const messages = [${user}] as const; void model.chat({ messages });`,
  'parts, tools and stops as constants':
    "const request = { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }], stop: ['a'], tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {}, required: [] } } }], tool_choice: 'auto' } as const; void model.chat(request);",
  'its tools': `declare const tools: OpenAI.ChatCompletionTool[]; void model.chat({ messages: [${user}], tools });`,
  'a schema that is typed as an interface': `interface Schema { type: 'object'; properties: object } declare const parameters: Schema; void model.chat({ messages: [${user}], tools: [{ type: 'function', function: { name: 'f', parameters } }] });`,
  'null for what is optional': `void model.chat({ messages: [${user}], temperature: null, stop: null, tools: null, seed: null, logit_bias: null, stream_options: null, max_tokens: null, metadata: null }, { signal: null, caller: null });`,
  'undefined for what is optional': `void model.chat({ messages: [${user}], temperature: undefined, tools: undefined }, { signal: undefined });`,
  'a format, forced calls and strict tools':
    "declare const f: NonNullable<OpenAI.ChatCompletionCreateParams['response_format']>; declare const tools: OpenAI.ChatCompletionTool[]; declare const c: OpenAI.ChatCompletionToolChoiceOption; void model.chat({ messages: [], response_format: f, tools, tool_choice: c });",
  'formats of local servers': `void model.chat({ messages: [${user}], guided_choice: ['a'] }); void model.chat({ messages: [${user}], structured_outputs: { json: { type: 'object' } } }); void model.chat({ messages: [${user}], response_format: { type: 'json_object', schema: {} } });`,
  'a value of a schema, typed':
    "import { Type } from 'typebox'; import { z } from 'zod'; async function f(messages: OpenAI.ChatCompletionMessageParam[]) { const a: { city: string; n?: number } = await model.json(Type.Object({ city: Type.String(), n: Type.Optional(Type.Number()) }), { messages }); const b: number[] = await model.json(z.array(z.string().transform(Number)), messages, { strict: false }); const c: unknown = await model.json({ type: 'object' }, { messages, temperature: 0 }); return [a, b, c]; } void f;",
  'tools with typed arguments':
    "import { Type } from 'typebox'; import { z } from 'zod'; import { defineTool } from 'troupe'; const time = defineTool({ name: 't', parameters: Type.Object({ city: Type.String() }), run: ({ city }) => city.length }); async function f(messages: OpenAI.ChatCompletionMessageParam[]) { const { message, usage } = await model.runTools({ messages, maxRounds: 3, tools: [time, { name: 'w', parameters: z.object({ n: z.number() }), async run({ n }, { signal }) { return { n: n.toFixed(), s: signal.aborted }; } }, { name: 'x', run: () => 'y' }] }, { onCall: ({ call }) => void call.id }); const sent: OpenAI.ChatCompletionMessageParam = message; return [sent, usage]; } void f;",
  'fields that are ignored': `void model.chat({ messages: [${user}], store: true, metadata: { a: 'b' }, user: 'u', service_tier: 'auto', prompt_cache_key: 'k' });`,
  'fields of local servers': `void model.chat({ messages: [${user}], top_k: 1, min_p: 0.1, enable_thinking: true, chat_template_kwargs: { a: 1 }, dry_multiplier: 1, keep_alive: 5 });`,
  'fields of ours': `void model.chat({ messages: [${user}], parse_special: true, drop_unsupported: true, cache_salt: 's', max_tokens: -1 }); void model.countTokens({ messages: [${user}], parse_special: null });`,
  'seeds of 64 bits': `for (const seed of [-1, 2n ** 63n, '18446744073709551615', null, undefined]) void model.chat({ messages: [${user}], seed }); void model.generate({ promptTokenIds: [1], maxTokens: 1, seed: 2n ** 63n, cacheSalt: 's' }); void model.embed('x', { cacheSalt: 's' });`,
  'how far a load is, and what of the kernels is slower':
    'async function f(engine: import("troupe").Engine) { const seen: import("troupe").LoadProgress[] = []; const { kernelNotes } = await engine.load("demo", { onProgress: (progress) => void seen.push(progress) }); const notes: readonly string[] = kernelNotes; return notes; }; void f;',
  'where files are and when a step hangs':
    "import { createEngine } from 'troupe'; void createEngine({ modelsDir: 'm', cacheDir: 'c', stepTimeoutMs: Infinity });",
  'an answer as OpenAI’s, which may be changed':
    'async function f(): Promise<OpenAI.ChatCompletion> { return model.chat({ messages: [] }); } void f;',
  'chunks as OpenAI’s':
    'async function* f(): AsyncGenerator<OpenAI.ChatCompletionChunk> { yield* model.stream({ messages: [] }); } void f;',
  'an answer’s message sent back, to us and to OpenAI':
    "async function f() { const { message } = (await model.chat({ messages: [] })).choices[0]!; const m: OpenAI.ChatCompletionMessageParam[] = [message]; await model.chat({ messages: [message, { role: 'tool', content: 'x', tool_call_id: message.tool_calls?.[0]?.id ?? '' }] }); return m; } void f;",
  'OpenAI’s message sent back to us':
    'declare const message: OpenAI.ChatCompletionMessage; void model.chat({ messages: [message] });',
  'ends by themselves':
    'async function f(engine: import("troupe").Engine) { await engine.close(); await model.close(); await engine.available(); }; void f;',
};

/** Programs that do not. */
const wrong: Readonly<Record<string, string>> = {
  'a user message without content': "void model.chat({ messages: [{ role: 'user' }] });",
  'a user message with null': "void model.chat({ messages: [{ role: 'user', content: null }] });",
  'a system message without content': "void model.chat({ messages: [{ role: 'system' }] });",
  'a message of no known role': "void model.chat({ messages: [{ role: 'nobody', content: 'x' }] });",
  'a tool message without tool_call_id': "void model.chat({ messages: [{ role: 'tool', content: 'x' }] });",
  'a part of an unknown type':
    "void model.chat({ messages: [{ role: 'user', content: [{ type: 'txt', text: 'x' }] }] });",
  'a text part without text': "void model.chat({ messages: [{ role: 'user', content: [{ type: 'text' }] }] });",
  'an image in a system message':
    "void model.chat({ messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: '' } }] }] });",
  'a tool of an unknown type': `void model.chat({ messages: [${user}], tools: [{ type: 'funktion', function: { name: 'f' } }] });`,
  'a function tool without a function': `void model.chat({ messages: [${user}], tools: [{ type: 'function' }] });`,
  'a function without a name': `void model.chat({ messages: [${user}], tools: [{ type: 'function', function: {} }] });`,
  'a misspelt field': `void model.chat({ messages: [${user}], temprature: 1 });`,
  'a temperature in words': `void model.chat({ messages: [${user}], temperature: 'hot' });`,
  'a request without messages': 'void model.chat({});',
  'a misspelt option': `void model.chat({ messages: [${user}] }, { sginal: undefined });`,
  'a misspelt option of an engine': "import { createEngine } from 'troupe'; void createEngine({ thread: 2 });",
  'a seed that is a flag': `void model.chat({ messages: [${user}], seed: true });`,
  'a salt that is a number': `void model.chat({ messages: [${user}], cache_salt: 5 });`,
  'a flag in words': `void model.chat({ messages: [${user}], drop_unsupported: 'yes' });`,
  'a misspelt parse_special': `void model.chat({ messages: [${user}], parse_specials: true });`,
  'progress that is no function':
    'async function f(engine: import("troupe").Engine) { await engine.load("demo", { onProgress: true }); }; void f;',
  'a number to encode': 'model.tokenizer.encode(5);',
  'a format of an unknown type': `void model.chat({ messages: [${user}], response_format: { type: 'jsno' } });`,
  'a value as of another schema':
    "import { Type } from 'typebox'; async function f() { const a: number = await model.json(Type.String(), []); return a; } void f;",
  'a format beside a schema': `void model.json({}, { messages: [${user}], response_format: { type: 'text' } });`,
  'a tool with arguments that its schema lacks':
    "import { Type } from 'typebox'; void model.runTools({ messages: [], tools: [{ name: 'a', parameters: Type.Object({ city: Type.String() }), run: ({ town }) => town }] });",
  'a tool that returns nothing':
    "import { Type } from 'typebox'; void model.runTools({ messages: [], tools: [{ name: 'a', parameters: Type.Object({ city: Type.String() }), run: ({ city }) => void city }] });",
  'no model': 'async function f(engine: import("troupe").Engine) { await engine.load(undefined); }; void f;',
};

function toFiles(programs: Readonly<Record<string, string>>): [name: string, file: string, text: string][] {
  return Object.entries(programs).map(([name, text], i) => [name, `a${i}.ts`, `${head}${text}\nexport {};\n`]);
}

describe('types of OpenAI', () => {
  let app: App;

  beforeAll(() => {
    app = createApp(['openai', 'typebox', 'zod']);
  });
  afterAll(() => app[Symbol.dispose]());

  it('fit requests, messages and answers without a cast', async () => {
    const files = toFiles(right);
    // OpenAI's own declarations are for those who have a browser's library.
    const errors = await app.check(Object.fromEntries(files.map(([, file, text]) => [file, text])), {
      skipLibCheck: true,
    });
    const refused = files.flatMap(([name, file]) => (errors.has(file) ? [[name, errors.get(file)]] : []));
    expect(refused).toEqual([]);
    expect([...errors]).toEqual([]);
  });

  it('and ours refuse what is wrong', async () => {
    const files = toFiles(wrong);
    const errors = await app.check(Object.fromEntries(files.map(([, file, text]) => [file, text])), {
      skipLibCheck: true,
    });
    expect(files.flatMap(([name, file]) => (errors.has(file) ? [] : [name]))).toEqual([]);
    // Each for its own mistake, and not because a type is not found.
    expect([...errors.values()].flat().filter((error) => /TS2307|TS2304|TS7016/.test(error))).toEqual([]);
  });
});
