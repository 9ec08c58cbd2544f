import { describe, expect, it } from 'vitest';
import { addPiece, NO_ANSWER, type AnswerPiece } from '../../../src/pages/chat/api/answer-pieces.js';
import { readModels } from '../../../src/pages/chat/api/models.js';
import { requestAnswer, toBody, type Outcome } from '../../../src/pages/chat/api/request-answer.js';
import { DEFAULT_SETTINGS, type Turn } from '../../../src/pages/chat/conversation/conversation.js';

const sse = (...events: readonly (object | string)[]): string =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
const delta = (fields: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});

async function ask(answer: () => Response | Promise<Response>): Promise<{ outcome: Outcome; pieces: AnswerPiece[] }> {
  const pieces: AnswerPiece[] = [];
  const outcome = await requestAnswer(
    {},
    new AbortController().signal,
    (piece) => pieces.push(piece),
    async () => answer(),
  );
  return { outcome, pieces };
}

describe('an answer', () => {
  it('is its text, its reasoning, its tool calls, its end and its usage', async () => {
    const { outcome, pieces } = await ask(
      () =>
        new Response(
          sse(
            delta({ role: 'assistant', content: '' }),
            delta({ reasoning_content: 'Hm' }),
            delta({ reasoning_content: '.' }),
            delta({ content: 'Yes' }),
            delta({
              tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '' } }],
            }),
            delta({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
            delta({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
            delta({}, 'tool_calls'),
            {
              choices: [],
              usage: { prompt_tokens: 5, completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 2 } },
            },
            '[DONE]',
          ),
        ),
    );
    expect(outcome).toBe('whole');
    expect(pieces.reduce(addPiece, NO_ANSWER)).toEqual({
      text: 'Yes',
      reasoning: 'Hm.',
      toolCalls: [{ id: 'c1', name: 'look', arguments: '{"a":1}' }],
    });
    expect(pieces.find(({ finish }) => finish !== undefined)?.finish).toBe('tool_calls');
    expect(pieces.at(-1)?.usage).toEqual({ promptTokens: 5, completionTokens: 7, reasoningTokens: 2 });
  });

  it('that is refused tells what the server said and what to do', async () => {
    const error = { message: 'the model "x" is not there', code: 'model_not_found' };
    const { outcome } = await ask(() => Response.json({ error }, { status: 404 }));
    expect(outcome).toMatchObject({ ...error, advice: expect.stringContaining('another model') as unknown });
    const { outcome: bare } = await ask(() => new Response('<html>', { status: 502 }));
    expect(bare).toMatchObject({ code: 'status_502', message: expect.stringContaining('502') as unknown });
  });

  it('that fails on its way keeps what came', async () => {
    const error = { message: 'the engine died', code: 'engine_restarted' };
    const { outcome, pieces } = await ask(() => new Response(sse(delta({ content: 'Par' }), { error })));
    expect(outcome).toMatchObject(error);
    expect(pieces.map(({ text }) => text)).toEqual(['Par']);
  });

  it('that breaks off, or is no answer, says so', async () => {
    expect((await ask(() => new Response(sse(delta({ content: 'Par' }))))).outcome).toMatchObject({
      code: 'broken_off',
    });
    expect((await ask(() => new Response(sse('{"half')))).outcome).toMatchObject({ code: 'unreadable' });
    expect((await ask(() => Promise.reject(new TypeError('failed to fetch')))).outcome).toMatchObject({
      code: 'unreachable',
    });
  });

  it('that is stopped is no failure', async () => {
    const abort = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(sse(delta({ content: 'a' })))),
    });
    const onPiece = (): void => {
      abort.abort();
      void body.cancel().catch(() => {});
    };
    const send = async (_: unknown, init?: RequestInit): Promise<Response> => {
      const answer = new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(sse(delta({ content: 'a' }))));
            init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
          },
        }),
      );
      return answer;
    };
    expect(await requestAnswer({}, abort.signal, onPiece, send)).toBe('stopped');
  });
});

describe('a request', () => {
  const user: Turn = { id: '1', parent: null, role: 'user', text: 'Hi' };

  it('leaves out settings that were not chosen', () => {
    expect(toBody([user], { ...DEFAULT_SETTINGS, model: 'demo' })).toEqual({
      model: 'demo',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      sampling_defaults: 'chat',
      stream_options: { include_usage: true },
    });
  });

  it('has the system prompt first and every setting under its name on the wire', () => {
    const settings = {
      model: 'm',
      system: 'Be brief.',
      thinking: 'off',
      temperature: 0,
      topP: 0.5,
      maxTokens: 9,
      seed: 3,
    } as const;
    expect(toBody([user], settings)).toMatchObject({
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
      enable_thinking: false,
      temperature: 0,
      top_p: 0.5,
      max_tokens: 9,
      seed: 3,
    });
  });

  it('sends calls back in their own form, and no reasoning', () => {
    const turn: Turn = {
      id: '2',
      parent: '1',
      role: 'assistant',
      text: '',
      reasoning: 'r',
      toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }],
    };
    expect(toBody([turn], DEFAULT_SETTINGS)['messages']).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    ]);
  });
});

it('a list of models keeps what has an id', () => {
  const data = [{ id: 'a', max_model_len: 10 }, { id: 'b' }, { id: 7 }, { id: '' }, null];
  expect(readModels({ data })).toEqual([
    { id: 'a', contextLength: 10 },
    { id: 'b', contextLength: undefined },
  ]);
  expect(readModels('nonsense')).toEqual([]);
});
