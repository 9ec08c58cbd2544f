// Answers that are held to a format: with every setting of thinking, alone and beside others, guessed ahead or not, with
// logprobs, and where the engine dies between two of their tokens.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineKey } from '../../src/engine/index.js';
import type { ChatCompletion, ChatCompletionRequest } from '../../src/index.js';
import { allRunning, openDemo, PATIENT, type Demo } from './demo.js';

const messages = [{ role: 'user', content: 'What is the capital of Norway?' }] as const;
const schema = {
  type: 'object',
  properties: {
    the_name_of_the_capital: { type: 'string', maxLength: 9 },
    people: { type: 'integer', minimum: 0, maximum: 99 },
  },
  required: ['the_name_of_the_capital', 'people'],
  additionalProperties: false,
};
const tools = [{ type: 'function', function: { name: 'get_capital', parameters: schema } }] as const;

const isObject = (text: string): boolean => {
  const value = JSON.parse(text) as Record<string, unknown>;
  return Object.keys(value).join() === 'the_name_of_the_capital,people' && Number.isInteger(value['people']);
};

/** What is asked, and whether an answer is that. */
const formats: readonly (readonly [
  name: string,
  Partial<ChatCompletionRequest>,
  (answer: ChatCompletion['choices'][number]) => boolean,
])[] = [
  [
    'a schema',
    { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
    ({ message }) => isObject(message.content ?? ''),
  ],
  [
    'an expression',
    { guided_regex: '[A-Z][a-z]{3,7}\\.' },
    ({ message }) => /^[A-Z][a-z]{3,7}\.$/.test(message.content ?? ''),
  ],
  [
    'a choice',
    { guided_choice: ['Oslo', 'not known'] },
    ({ message }) => ['Oslo', 'not known'].includes(message.content ?? ''),
  ],
  [
    'a grammar',
    { grammar: 'root ::= "<" [a-z]{1,5} ">"' },
    ({ message }) => /^<[a-z]{1,5}>$/.test(message.content ?? ''),
  ],
  [
    'a call',
    { tools, tool_choice: 'required', parallel_tool_calls: false },
    ({ message, finish_reason: reason }) =>
      reason === 'tool_calls' &&
      message.tool_calls?.length === 1 &&
      isObject(message.tool_calls[0]?.function.arguments ?? ''),
  ],
];
const thinking: readonly (readonly [name: string, Partial<ChatCompletionRequest>])[] = [
  ['as the template likes', {}],
  ['on, with a budget', { enable_thinking: true, thinking_budget: 6 }],
  ['on, with a budget of one', { thinking: { type: 'enabled', budget_tokens: 1 } }],
  ['off', { enable_thinking: false }],
  ['off, by its budget', { thinking_budget: 0 }],
  ['by an effort', { reasoning_effort: 'low', max_tokens: 200 }],
];

const texts = ({ choices }: ChatCompletion): unknown[] =>
  choices.map(({ message }) => [
    message.content,
    message.reasoning_content,
    message.tool_calls?.map((call) => call.function),
  ]);

/** Deaths within one answer: each is an engine that starts anew. */
const MAX_KILLS = 4;

let demo: Demo;
let guessing: Demo;
beforeAll(async () => {
  demo = await openDemo({ restarts: PATIENT, speculation: false, threads: 1 });
  guessing = await openDemo({ speculation: true });
});
afterAll(async () => {
  await demo[Symbol.asyncDispose]();
  await guessing[Symbol.asyncDispose]();
});

describe.each(formats)('%s', (_, format, fits) => {
  it.each(thinking)('is held with thinking %s', async (name, settings) => {
    const answer = await demo.model.chat({ messages, temperature: 1.5, seed: 3, n: 3, ...format, ...settings });
    for (const choice of answer.choices) expect([choice.message, fits(choice)]).toEqual([choice.message, true]);
    if (name.startsWith('off')) expect(answer.usage.completion_tokens_details.reasoning_tokens).toBe(0);
  });

  it('is the same with logprobs, streamed, guessed ahead, beside others, and again', async () => {
    const request = { messages, temperature: 1.2, seed: 11, thinking_budget: 8, ...format } as const;
    const alone = texts(await demo.model.chat(request));
    const withLogprobs = await demo.model.chat({ ...request, logprobs: true, top_logprobs: 2 });
    expect(texts(withLogprobs)).toEqual(alone);
    expect(texts(await guessing.model.chat(request))).toEqual(alone);
    const crowd = await Promise.all([1, 2, 11, 4, 5].map((seed) => demo.model.chat({ ...request, seed })));
    expect(texts(crowd[2] as ChatCompletion)).toEqual(alone);
    for (const { choices } of crowd) expect(choices.every(fits)).toBe(true);
    let streamed = '';
    for await (const { choices } of demo.model.stream(request)) {
      const [choice] = choices;
      streamed += choice?.delta.content ?? choice?.delta.tool_calls?.[0]?.function?.arguments ?? '';
    }
    const [first] = (await demo.model.chat(request)).choices;
    expect(streamed).toBe(first?.message.content ?? first?.message.tool_calls?.[0]?.function.arguments);
  });

  it('goes on where it was when the engine dies', async () => {
    const request = { messages, temperature: 1.2, seed: 5, enable_thinking: false, ...format } as const;
    const joined = async (onPiece: () => void): Promise<string> => {
      let text = '';
      for await (const { choices } of demo.model.stream(request)) {
        text += choices[0]?.delta.content ?? choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? '';
        onPiece();
      }
      return text;
    };
    const undisturbed = await joined(() => {});
    let kills = 0;
    const kill = (): void => {
      if (kills === MAX_KILLS) return;
      try {
        demo.supervisor.kill(engineKey.id);
        kills++;
      } catch {
        // It has not come back yet.
      }
    };
    const disturbed = joined(kill);
    kill();
    expect(await disturbed).toBe(undisturbed);
    expect(kills).toBeGreaterThan(0);
    await allRunning(demo.supervisor);
  });
});
