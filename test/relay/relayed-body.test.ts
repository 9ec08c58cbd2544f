import { expect, it } from 'vitest';
import {
  dialects,
  toResponse,
  type AnswerHooks,
  type AnswerOutcome,
  type UpstreamAnswer,
} from '../../src/relay/index.js';
import { signalOf } from '../http/over-transports.js';

const chunk = (content: string): string => `data: {"choices":[{"delta":{"content":" ${content}"}}]}\n\n`;
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
    estimatePrompt: () => 2,
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
    usage: {
      promptTokens: 3,
      completionTokens: 2,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      isEstimated: false,
    },
  });
  expect(first).toBe(1);
});

const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n';
const FINISH = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
const DONE = 'data: [DONE]\n\n';

/** Streams as pieces, and the one that waits until the cost is written. */
const ends: Readonly<Record<string, { readonly pieces: readonly string[]; readonly last: number }>> = {
  'the event of usage behind the end of its choice': { pieces: [chunk('a'), chunk('b'), FINISH, USAGE], last: 3 },
  'the line that ends it, where usage came earlier': { pieces: [USAGE, chunk('a'), chunk('b'), FINISH, DONE], last: 4 },
  'the line that ends it, in pieces': { pieces: [chunk('a'), FINISH, 'data: [DO', 'NE]\n', '\n'], last: 4 },
  'all of a stream that comes at once': { pieces: [chunk('a') + FINISH + USAGE + DONE], last: 0 },
  'the end of a body that says no end': { pieces: [chunk('a'), FINISH], last: 2 },
};

for (const [name, { pieces, last }] of Object.entries(ends)) {
  it(`the last of an answer waits until its cost is written, and nothing before it: ${name}`, async () => {
    const written = signalOf();
    const known: AnswerOutcome[] = [];
    const ended = signalOf<AnswerOutcome>();
    const { body } = toResponse(answerOf(pieces).answer, {
      method: 'POST',
      dialect: dialects['chat-completions'],
      estimatePrompt: () => 2,
      hooks: {
        onKnown: (outcome) => (known.push(outcome), written.promise),
        onOutcome: ended.resolve,
      },
    });
    for (const piece of pieces.slice(0, last)) {
      expect(Buffer.from((await body.next()).value ?? []).toString()).toBe(piece);
      expect(known).toEqual([]);
    }
    const waiting = body.next();
    expect(await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 20, 'waits'))])).toBe('waits');
    const bytes = pieces.slice(0, last + 1).join('').length;
    expect(known).toMatchObject([{ end: 'whole', status: 200, bytes }]);
    written.resolve();
    const rest = [await waiting];
    while (rest.at(-1)?.done !== true) rest.push(await body.next());
    const text = rest.map(({ value }) => Buffer.from(value ?? []).toString()).join('');
    expect(text).toBe(pieces.slice(last).join(''));
    expect(known).toHaveLength(1);
    expect(await ended.promise).toEqual({ ...known[0], bytes: pieces.join('').length });
  });
}

it('the last usage of several counts, also where a choice ended before, and one that nothing follows is known soon', async () => {
  const usage = (prompt: number, completion: number): string =>
    `data: {"choices":[],"usage":{"prompt_tokens":${prompt},"completion_tokens":${completion}}}\n\n`;
  const known: AnswerOutcome[] = [];
  const onKnown = async (outcome: AnswerOutcome): Promise<void> => void known.push(outcome);
  const pieces = [chunk('a'), FINISH, usage(3, 1), chunk('b'), FINISH, usage(3, 2), usage(0, 0), usage(3, 4), DONE];
  const { text, outcome } = await read(answerOf(pieces).answer, { onKnown });
  expect(text).toBe(pieces.join(''));
  expect(known).toMatchObject([{ end: 'whole', usage: { promptTokens: 3, completionTokens: 4, isEstimated: false } }]);
  expect(outcome).toEqual(known[0]);

  const { answer } = answerOf([chunk('a'), FINISH, usage(3, 2)]);
  const next = answer.body.next.bind(answer.body);
  let count = 0;
  // The source stays open behind its usage, and says no more.
  const body = { ...answer.body, next: () => (++count > 3 ? new Promise<never>(() => {}) : next()) };
  const { body: relayed } = toResponse(
    { ...answer, body },
    {
      method: 'POST',
      dialect: dialects['chat-completions'],
      hooks: { onKnown },
    },
  );
  for (let i = 0; i < 3; i++) await relayed.next();
  expect(known).toMatchObject([{}, { end: 'whole', usage: { promptTokens: 3, completionTokens: 2 } }]);
});

it('an error in an answer whose status says that all is well has failed and costs nothing', async () => {
  const error = '{"error":{"message":"overloaded"},"usage":{"prompt_tokens":3,"completion_tokens":2}}';
  const whole = await read(answerOf([error], [['content-type', 'application/json']]).answer);
  const first = await read(
    answerOf(['data: {"choices":[{"delta":{"role":"assistant"}}]}\n\n', `data: ${error}\n\n`, DONE]).answer,
  );
  for (const { outcome } of [whole, first])
    expect(outcome).toMatchObject({
      end: 'failed',
      usage: { promptTokens: 0, completionTokens: 0, isEstimated: false },
    });
  // What came before it was handed on, and is charged.
  const later = await read(answerOf([chunk('a'), `data: ${error}\n\n`]).answer);
  expect(later.outcome).toMatchObject({ end: 'whole', usage: { promptTokens: 3, completionTokens: 2 } });
});

it('an answer whose cost is known is not cut, and a reader that leaves it then leaves nothing to be read on', async () => {
  const written = signalOf();
  const ended = signalOf<AnswerOutcome>();
  let left = 0;
  const { answer, stopped } = answerOf([chunk('a'), FINISH + USAGE, DONE]);
  const { body } = toResponse(answer, {
    method: 'POST',
    dialect: dialects['chat-completions'],
    estimatePrompt: () => 2,
    hooks: { onKnown: () => written.promise, onLeft: () => void left++, onOutcome: ended.resolve },
  });
  await body.next();
  const last = body.next();
  await new Promise((resolve) => setTimeout(resolve, 5));
  body.cut(FINAL);
  await body.return();
  expect(await ended.promise).toMatchObject({ end: 'left', usage: { promptTokens: 3, completionTokens: 2 } });
  expect([left, stopped()]).toEqual([0, true]);
  written.resolve();
  expect(Buffer.from((await last).value ?? []).toString()).toBe(FINISH + USAGE);
});

it('what an answer is cut with waits until its cost is written, and what it broke off with does not', async () => {
  const known: AnswerOutcome[] = [];
  const onKnown = async (outcome: AnswerOutcome): Promise<void> => void known.push(outcome);
  const admit: AnswerHooks['admit'] = ({ tokens }) => tokens <= 1 || { finalBytes: FINAL };
  const cut = await read(answerOf(['a', 'b'].map(chunk)).answer, { admit, onKnown });
  expect(known).toMatchObject([{ end: 'cut', usage: { completionTokens: 1 } }]);
  expect([cut.text, cut.outcome.end]).toEqual([chunk('a') + FINAL.toString(), 'cut']);
  await read(answerOf([chunk('a'), new Error('gone')]).answer, { onKnown });
  expect(known).toHaveLength(1);
});

it('an answer of a length is known by its last byte, and one of JSON by the end of its text', async () => {
  const text = '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}';
  for (const [fields, last] of [
    [
      [
        ['content-type', 'text/plain'],
        ['content-length', String(text.length)],
      ],
      1,
    ],
    [[['content-type', 'application/json']], 1],
    [[['content-type', 'text/plain']], 2],
  ] as const) {
    const events: string[] = [];
    const { answer } = answerOf([text.slice(0, 30), text.slice(30)], fields);
    const onKnown = async (): Promise<void> => void events.push('known');
    await read(answer, { onKnown }, () => events.push('piece') > 0);
    expect(events.indexOf('known')).toBe(last);
  }
});

it('every token is asked for before its bytes are handed on, and what is refused is neither sent nor counted', async () => {
  const asked: number[] = [];
  const { answer, stopped } = answerOf(['a', 'b', 'c', 'd'].map(chunk));
  const admit: AnswerHooks['admit'] = async ({ tokens }) => {
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
  const admit: AnswerHooks['admit'] = ({ tokens }) => asked.push(tokens) > 0 || { finalBytes: FINAL };
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
    const { text, error, outcome } = await read(answer, {
      admit: ({ tokens }) => tokens <= 1 || { finalBytes: FINAL },
    });
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
  const { body: relayed } = toResponse(waiting, { method: 'POST' });
  const next = relayed.next();
  relayed.cut(FINAL);
  expect(await next).toEqual({ done: false, value: FINAL });
  expect(await relayed.next()).toEqual({ done: true, value: undefined });
});

it('an upstream that breaks off and a reader that leaves have different outcomes, each with what was produced', async () => {
  const broken = await read(answerOf([chunk('a'), new Error('gone')]).answer);
  expect(broken).toMatchObject({ text: chunk('a'), error: { message: 'gone' } });
  expect(broken.outcome).toMatchObject({ end: 'failed', error: { message: 'gone' }, usage: { completionTokens: 1 } });
  const { answer, stopped } = answerOf(['a', 'b', 'c'].map(chunk));
  const left = await read(answer, {}, (_, count) => count < 2);
  expect(left.outcome).toMatchObject({ end: 'left', usage: { promptTokens: 2, completionTokens: 2 } });
  expect(stopped()).toBe(true);
});

it('an answer without a body is whole though it is not read', async () => {
  for (const [method, status] of [
    ['HEAD', 200],
    ['POST', 204],
    ['GET', 304],
  ] as const) {
    const ended = signalOf<AnswerOutcome>();
    const answer = { ...answerOf([]).answer, status };
    const { body } = toResponse(answer, { method, hooks: { onOutcome: ended.resolve } });
    await body.return();
    expect((await ended.promise).end).toBe('whole');
  }
});
