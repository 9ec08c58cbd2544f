import { expect, it } from 'vitest';
import {
  dialects,
  toResponse,
  type AnswerHooks,
  type AnswerOutcome,
  type UpstreamAnswer,
} from '../../src/relay/index.js';
import { signalOf } from '../http/over-transports.js';

const chunk = (content: string): string => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`;
const FINAL = Buffer.from('data: {"error":{"code":"budget_exceeded"}}\n\n');

/** An upstream's answer of `pieces`, and whether it was stopped. */
function answerOf(
  pieces: readonly (string | Error)[],
  fields: UpstreamAnswer['fields'] = [['content-type', 'text/event-stream']],
): { readonly answer: UpstreamAnswer; readonly stopped: () => boolean } {
  let isStopped = false;
  const source = (async function* (): AsyncGenerator<Uint8Array, undefined> {
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece;
      yield Buffer.from(piece);
    }
  })();
  const body: UpstreamAnswer['body'] = {
    next: () => source.next(),
    return: async () => {
      isStopped = true;
      return source.return(undefined);
    },
    [Symbol.asyncIterator]: () => body,
  };
  return { answer: { status: 200, fields, body, trailers: () => [] }, stopped: () => isStopped };
}

/** Reads an answer to its end; what came, what it failed with, and how it ended. */
async function read(
  answer: UpstreamAnswer,
  hooks: AnswerHooks = {},
  onPiece: (body: ReturnType<typeof toResponse>['body'], count: number) => boolean = () => true,
): Promise<{ readonly text: string; readonly error?: unknown; readonly outcome: AnswerOutcome }> {
  const ended = signalOf<AnswerOutcome>();
  const { body } = toResponse(answer, {
    method: 'POST',
    dialect: dialects['chat-completions'],
    promptBytes: 8,
    hooks: { ...hooks, onOutcome: ended.resolve },
  });
  let text = '';
  let count = 0;
  try {
    for await (const piece of body) {
      text += Buffer.from(piece).toString();
      if (!onPiece(body, ++count)) break;
    }
  } catch (error) {
    return { text, error, outcome: await ended.promise };
  }
  return { text, outcome: await ended.promise };
}

it('an answer that ends tells its usage and bytes, once', async () => {
  const usage = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n';
  let first = 0;
  const { text, outcome } = await read(answerOf([chunk('a'), usage]).answer, { onFirstByte: () => first++ });
  expect(text).toBe(chunk('a') + usage);
  expect(outcome).toEqual({
    end: 'whole',
    status: 200,
    bytes: text.length,
    usage: { promptTokens: 3, completionTokens: 2, cachedTokens: 0, reasoningTokens: 0, isEstimated: false },
  });
  expect(first).toBe(1);
});

it('every token is asked for before its bytes are handed on, and what is refused is neither sent nor counted', async () => {
  const asked: number[] = [];
  const { answer, stopped } = answerOf(['a', 'b', 'c', 'd'].map(chunk));
  const admit: AnswerHooks['admit'] = async (tokens) => {
    asked.push(tokens);
    return tokens <= 2 || { finalBytes: FINAL };
  };
  const { text, outcome } = await read(answer, { admit });
  expect(asked).toEqual([1, 2, 3]);
  expect(text).toBe(chunk('a') + chunk('b') + FINAL.toString());
  expect(outcome).toMatchObject({ end: 'cut', usage: { completionTokens: 2, isEstimated: true } });
  expect(stopped()).toBe(true);
});

it('bytes before the first token are asked for too, since they may cost a prompt', async () => {
  const asked: number[] = [];
  const { answer } = answerOf([': ping\n\n', chunk('a')]);
  const admit: AnswerHooks['admit'] = (tokens) => asked.push(tokens) > 0 || { finalBytes: FINAL };
  expect((await read(answer, { admit })).text).toBe(`: ping\n\n${chunk('a')}`);
  expect(asked).toEqual([0, 1]);
  const refused = answerOf([': ping\n\n', chunk('a')]).answer;
  const { text, outcome } = await read(refused, { admit: () => ({ finalBytes: FINAL }) });
  expect([text, outcome.end, outcome.usage.completionTokens]).toEqual([FINAL.toString(), 'cut', 0]);
});

it('an answer whose length is known, or that is encoded, is cut by its connection', async () => {
  for (const field of [
    ['content-length', '500'],
    ['content-encoding', 'identity'],
  ] as const) {
    const { answer } = answerOf(['a', 'b'].map(chunk), [['content-type', 'text/event-stream'], field]);
    const { text, error, outcome } = await read(answer, { admit: (tokens) => tokens <= 1 || { finalBytes: FINAL } });
    expect([text, outcome.end]).toEqual([chunk('a'), 'cut']);
    expect(error).toMatchObject({ code: 'upstream_error' });
  }
});

it('a stream is cut from outside, also while it waits for its upstream', async () => {
  const { answer, stopped } = answerOf(['a', 'b', 'c'].map(chunk));
  const between = await read(answer, {}, (body, count) => {
    if (count === 1) body.cut(FINAL);
    return true;
  });
  expect([between.text, between.outcome.end, stopped()]).toEqual([chunk('a') + FINAL.toString(), 'cut', true]);

  const never = signalOf<IteratorResult<Uint8Array, undefined>>();
  const body: UpstreamAnswer['body'] = {
    next: () => never.promise,
    return: async () => {
      never.resolve({ done: true, value: undefined });
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => body,
  };
  const waiting = { status: 200, fields: [['content-type', 'text/event-stream']] as const, body, trailers: () => [] };
  const { body: relayed } = toResponse(waiting, { method: 'POST', promptBytes: 0 });
  const next = relayed.next();
  relayed.cut(FINAL);
  expect(await next).toEqual({ done: false, value: FINAL });
  expect(await relayed.next()).toEqual({ done: true, value: undefined });
});

it('an upstream that breaks off and a reader that leaves are told apart, each with what was produced', async () => {
  const broken = await read(answerOf([chunk('a'), new Error('gone')]).answer);
  expect(broken).toMatchObject({ text: chunk('a'), error: { message: 'gone' } });
  expect(broken.outcome).toMatchObject({ end: 'failed', error: { message: 'gone' }, usage: { completionTokens: 1 } });
  const { answer, stopped } = answerOf(['a', 'b', 'c'].map(chunk));
  const left = await read(answer, {}, (_, count) => count < 2);
  expect(left.outcome).toMatchObject({ end: 'left', usage: { promptTokens: 2, completionTokens: 2 } });
  expect(stopped()).toBe(true);
});

it('an answer without a body is whole though nobody reads it', async () => {
  for (const [method, status] of [
    ['HEAD', 200],
    ['POST', 204],
    ['GET', 304],
  ] as const) {
    const ended = signalOf<AnswerOutcome>();
    const answer = { ...answerOf([]).answer, status };
    const { body } = toResponse(answer, { method, promptBytes: 0, hooks: { onOutcome: ended.resolve } });
    await body.return();
    expect((await ended.promise).end).toBe('whole');
  }
});
