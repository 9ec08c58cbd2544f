import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderTemplate } from '../../src/chat/index.js';
import { createEngine, type Engine, type Model } from '../../src/index.js';
import { createRing, createSupervisor, openConsumer } from '../../src/actor/index.js';
import { compileTokenizer, loadTokenizer, openTokenizer } from '../../src/tokenizer/index.js';

const messages = [{ role: 'user' as const, content: 'Hello.' }];
const ids = { promptTokenIds: [1, 2, 3], maxTokens: 1 };

/** A call with what the types forbid, and the error: its code and a part of its message. */
type Case = readonly [what: string, call: (model: Model, engine: Engine) => unknown, code: string, message: string];

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

/** Anything, where a type forbids it. */
const wrong = (value: unknown): never => value as never;

const cases: readonly Case[] = [
  [
    'an engine with a misspelt option',
    () => createEngine(wrong({ thread: 2 })),
    'invalid_option',
    'thread is not an option of createEngine. Did you mean threads?',
  ],
  [
    'an engine with an option in another case',
    () => createEngine(wrong({ modelsdir: 'x' })),
    'invalid_option',
    'Did you mean modelsDir?',
  ],
  [
    'an engine with an option like no other',
    () => createEngine(wrong({ colour: 2 })),
    'invalid_option',
    'Known are threads, modelsDir',
  ],
  [
    'an engine with a number as options',
    () => createEngine(wrong(5)),
    'invalid_option',
    'the options of createEngine are 5',
  ],
  [
    'load without a name',
    (_, engine) => engine.load(wrong(undefined)),
    'invalid_value',
    'model is absent; it must be the name or the path of a model',
  ],
  ['load of nothing', (_, engine) => engine.load(''), 'invalid_value', 'model is empty'],
  ['load of a number', (_, engine) => engine.load(wrong(7)), 'invalid_value', 'model is 7'],
  [
    'load with a misspelt option',
    (_, engine) => engine.load('demo', wrong({ sinal: 1 })),
    'invalid_option',
    'Did you mean signal?',
  ],
  ['unload without a name', (_, engine) => engine.unload(wrong(undefined)), 'invalid_value', 'model is absent'],
  [
    'a chat without a request',
    (model) => model.chat(wrong(undefined)),
    'invalid_type',
    'the request must be a JSON object, not absent',
  ],
  [
    'a chat with no messages',
    (model) => model.chat({ messages: [] }),
    'invalid_value',
    'messages must have at least 1 items; it is an array of 0 items',
  ],
  [
    'a chat with a misspelt field',
    (model) => model.chat(wrong({ messages, temprature: 0 })),
    'unknown_parameter',
    'temprature is not a field of a chat request. Did you mean temperature?',
  ],
  [
    'a chat with a field in camel case',
    (model) => model.chat(wrong({ messages, maxTokens: 5 })),
    'unknown_parameter',
    'Did you mean max_tokens?',
  ],
  [
    'a chat with a field like no other',
    (model) => model.chat(wrong({ messages, zzz: 5 })),
    'unknown_parameter',
    'zzz is not a field of a chat request.',
  ],
  [
    'a stream with a misspelt field',
    (model) => drain(model.stream(wrong({ messages, top_pp: 0 }))),
    'unknown_parameter',
    'Did you mean top_p?',
  ],
  [
    'a message with a misspelt field',
    (model) => model.chat(wrong({ messages: [{ role: 'user', contnet: 'x' }] })),
    'unknown_parameter',
    'contnet is not a field of messages[0]. Did you mean content?',
  ],
  [
    'the function of a call with a name for its arguments that is none',
    (model) =>
      model.chat({
        messages: [
          ...messages,
          {
            role: 'assistant',
            tool_calls: [{ id: 'a', type: 'function', function: wrong({ name: 'f', args: '{}' }) }],
          },
          { role: 'tool', tool_call_id: 'a', content: '1' },
        ],
      }),
    'unknown_parameter',
    'args is not a field of messages[1].tool_calls[0].function.',
  ],
  [
    'a tool with a misspelt field',
    (model) => model.chat(wrong({ messages, tools: [{ type: 'function', function: { name: 'f', paramters: {} } }] })),
    'unknown_parameter',
    'Did you mean parameters?',
  ],
  [
    'a chat with a misspelt option',
    (model) => model.chat({ messages }, wrong({ prioritiy: 1 })),
    'invalid_option',
    'Did you mean priority?',
  ],
  [
    'a stream with a misspelt option',
    (model) => drain(model.stream({ messages }, wrong({ deadline: 1 }))),
    'invalid_option',
    'Did you mean deadlineMs?',
  ],
  [
    'a chat with a priority in words',
    (model) => model.chat({ messages }, wrong({ priority: 'high' })),
    'invalid_value',
    'priority is "high"',
  ],
  [
    'a name of a model that is none',
    (model) => model.chat({ messages }, wrong({ modelName: 5 })),
    'invalid_option',
    'modelName is 5',
  ],
  [
    'generate without a request',
    (model) => drain(model.generate(wrong(undefined))),
    'invalid_value',
    'promptTokenIds is absent; it must be a list of token ids',
  ],
  [
    'generate with no ids',
    (model) => drain(model.generate({ ...ids, promptTokenIds: [] })),
    'invalid_value',
    'the prompt has no tokens',
  ],
  [
    'generate without a length',
    (model) => drain(model.generate(wrong({ promptTokenIds: [1] }))),
    'invalid_value',
    'maxTokens is absent',
  ],
  [
    'generate with a field of the wire',
    (model) => drain(model.generate(wrong({ ...ids, top_p: 0.5 }))),
    'invalid_option',
    'top_p is not an option of generate. Did you mean topP?',
  ],
  [
    'generate with a misspelt field of dry',
    (model) => drain(model.generate(wrong({ ...ids, dry: { multiplyer: 1 } }))),
    'invalid_option',
    'Did you mean multiplier?',
  ],
  [
    'generate with a misspelt field of a constraint',
    (model) => drain(model.generate(wrong({ ...ids, constraint: { kind: 'automaton', stats: [] } }))),
    'invalid_value',
    'Did you mean states?',
  ],
  [
    'generate with a wrong flag',
    (model) => drain(model.generate(wrong({ ...ids, ignoreStop: 'yes' }))),
    'invalid_option',
    'ignoreStop is "yes"; it must be true or false',
  ],
  [
    'embed of an empty list',
    (model) => model.embed([]),
    'invalid_value',
    'input is empty; give at least one text, or one list of token ids',
  ],
  ['embed of an empty text', (model) => model.embed(['a', '']), 'invalid_value', 'input[1] is empty'],
  [
    'embed of a number',
    (model) => model.embed(wrong(5)),
    'invalid_value',
    'input is 5; it must be a text, or a list of texts and token ids',
  ],
  [
    'embed with a misspelt option',
    (model) => model.embed('a', wrong({ normalise: false })),
    'invalid_option',
    'Did you mean normalize?',
  ],
  ['forward of nothing', (model) => model.forward([]), 'invalid_value', 'the prompt has no tokens'],
  ['forward of a word', (model) => model.forward(wrong('abc')), 'invalid_value', 'tokenIds is "abc"'],
  [
    'renderChat of no messages',
    (model) => model.renderChat([]),
    'invalid_value',
    'messages must have at least 1 items',
  ],
  [
    'renderChat with a misspelt option',
    (model) => model.renderChat(messages, wrong({ tool: [] })),
    'invalid_option',
    'Did you mean tools?',
  ],
  [
    'countTokens of nothing',
    (model) => model.countTokens(wrong(undefined)),
    'invalid_type',
    'the request must be a JSON object',
  ],
  [
    'encode of a number',
    (model) => model.tokenizer.encode(wrong(5)),
    'invalid_value',
    'text is 5; it must be a string',
  ],
  [
    'encode with a misspelt option',
    (model) => model.tokenizer.encode('a', wrong({ addSpecialToken: true })),
    'invalid_option',
    'Did you mean addSpecialTokens?',
  ],
  [
    'decode of an id beyond the vocabulary',
    (model) => model.tokenizer.decode([1e9]),
    'invalid_value',
    'ids[0] is 1000000000; it must be a whole number from 0 to 1535',
  ],
  ['decode of a negative id', (model) => model.tokenizer.decode([1, -1]), 'invalid_value', 'ids[1] is -1'],
  ['decode of half an id', (model) => model.tokenizer.decode([0.5]), 'invalid_value', 'ids[0] is 0.5'],
  ['decode of words', (model) => model.tokenizer.decode(wrong(['1'])), 'invalid_value', 'ids[0] is "1"'],
  [
    'decode of a number',
    (model) => model.tokenizer.decode(wrong(5)),
    'invalid_value',
    'ids is 5; it must be a list of token ids',
  ],
  ['bytes of no token', (model) => model.tokenizer.tokenBytes(wrong('a')), 'invalid_value', 'id is "a"'],
  ['a tokenizer of nowhere', () => loadTokenizer(wrong(undefined)), 'invalid_value', 'directory is absent'],
  ['a tokenizer of no text', () => compileTokenizer(wrong({})), 'invalid_value', 'tokenizerJson is an object'],
  ['a tokenizer of no bytes', () => openTokenizer(wrong('x')), 'invalid_value', 'bytes is "x"'],
  ['a template that is none', () => renderTemplate(wrong(5), {}), 'invalid_value', 'template is 5'],
  ['a template without variables', () => renderTemplate('x', wrong(undefined)), 'invalid_value', 'variables is absent'],
  [
    'a ring handle that is none',
    () => openConsumer(wrong(undefined)),
    'ring_invalid',
    'a ring handle comes from createRing',
  ],
  [
    'a models directory that cannot be read',
    async () => {
      await using other = await createEngine({ threads: 1, modelsDir: 'x'.repeat(300) });
      await other.available();
    },
    'invalid_option',
    'cannot be read (ENAMETOOLONG)',
  ],
  [
    'a ring with a misspelt option',
    () => createRing(wrong({ capacityByte: 64 })),
    'ring_invalid',
    'Did you mean capacityBytes?',
  ],
  [
    'a supervisor with a misspelt field',
    () => createSupervisor(wrong({ id: 'a', strategy: 'oneForOne', intensity: 1, periodMS: 1, children: [] })),
    'actor_spec_invalid',
    'periodMS is not an option of the spec of "a". Did you mean periodMs?',
  ],
  [
    'a supervisor with an unknown strategy',
    () => createSupervisor(wrong({ id: 'a', strategy: 'oneForNone', intensity: 1, periodMs: 1, children: [] })),
    'actor_spec_invalid',
    'strategy is "oneForNone"; it must be oneForOne or oneForAll or restForOne',
  ],
];

describe('the library', () => {
  let engine: Engine;
  let model: Model;

  beforeAll(async () => {
    engine = await createEngine({ threads: 1 });
    model = await engine.load('demo');
  });
  afterAll(async () => engine.close());

  it.each(cases)('refuses %s', async (_, call, code, message) => {
    const failed = await Promise.resolve()
      .then(() => call(model, engine))
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(failed).toMatchObject({ code, message: expect.stringContaining(message) as string });
  });

  it('takes null for what may be left out', async () => {
    const request = {
      messages,
      temperature: null,
      stop: null,
      tools: null,
      seed: null,
      max_tokens: 4,
      stream_options: null,
    };
    const nulls = { signal: null, caller: null, priority: null, deadlineMs: null, modelName: null, onUsage: null };
    const { choices } = await model.chat(request, nulls);
    expect(choices[0]?.message.content).not.toBe('');
    expect(await model.countTokens(messages, { signal: null })).toBeGreaterThan(0);
    await drain(model.generate(wrong({ ...ids, temperature: null, dry: null, constraint: null, seed: undefined })));
    await createEngine(wrong({ threads: null, modelsDir: null })).then((other) => other.close());
  });

  it('takes null within messages and tools', async () => {
    const call = { id: null, type: null, function: { name: 'f', arguments: null } };
    const sent = [
      { role: 'user', content: 'Hello.', name: null },
      { role: 'assistant', content: null, tool_calls: [call], refusal: null, function_call: null, audio: null },
      { role: 'tool', content: 'x', tool_call_id: 'c', name: null },
    ];
    const tools = [{ type: 'function', function: { name: 'f', description: null, parameters: null, strict: null } }];
    expect(await model.countTokens(wrong({ messages: sent, tools }))).toBeGreaterThan(0);
  });

  it('accepts the fields of other servers that change no answer, and what their answers bring with them', async () => {
    const others = {
      store: true,
      metadata: { a: 'b' },
      user: 'u',
      service_tier: 'auto',
      keep_alive: '5m',
      num_ctx: 4096,
    };
    const annotated = [
      ...messages,
      { role: 'assistant', content: 'Hi.', annotations: [], reasoning_details: [], id: 'x' },
    ];
    const request = { ...others, messages: [...annotated, ...messages], temperature: 0, max_tokens: 2 };
    expect((await model.chat(wrong(request))).usage.completion_tokens).toBeLessThanOrEqual(2);
  });

  it('decodes every id that the model can give', () => {
    const all = Array.from({ length: model.vocabSize }, (_, id) => id);
    expect(model.tokenizer.decode(all).length).toBeGreaterThan(1000);
  });
});
