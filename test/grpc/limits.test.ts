import { constants } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { google, troupe } from '../../src/grpc/index.js';
import { answered, callRaw, frame, openSession, start, type RawAnswer } from './raw-client.js';
import { startProduction, type Production } from './production.js';

const CHAT = '/troupe.engine.v1.Inference/Chat';
const COMPLETE = '/troupe.engine.v1.Inference/Complete';
const { ChatRequest } = troupe.engine.v1;

let production: Production;
beforeAll(async () => {
  production = await startProduction({
    limits: {
      messageBytes: 1 << 20,
      receivingBytes: 3 << 20,
      receiveMs: 1_500,
      writeStallMs: 1_000,
      calls: 40,
      backoffMs: 2_000,
    },
  });
});
afterAll(() => production[Symbol.asyncDispose]());

const body = (content: string, more: object = {}): Buffer =>
  frame(ChatRequest.encode({ messages: [{ role: 'user', content }], max_tokens: 2, ...more }).finish());
const hello = body('hi');

/** Opens a session for one piece of work. */
async function inSession<T>(work: (session: ReturnType<typeof openSession>) => Promise<T>): Promise<T> {
  const session = openSession(production, production.issued.data);
  try {
    return await work(session);
  } finally {
    session.destroy();
  }
}

const once = (path: string, bytes: Uint8Array, headers?: Record<string, string>): Promise<RawAnswer> =>
  inSession((session) => callRaw(session, path, bytes, headers));

/** Whether a new connection of the client of data is taken. */
function isAnswered(): Promise<boolean> {
  return inSession((session) =>
    Promise.race([
      callRaw(session, COMPLETE, hello).then(({ headers }) => headers['grpc-status'] === '0'),
      new Promise<boolean>((resolve) => session.once('close', () => resolve(false))),
    ]),
  );
}

/** The details of a status, by the last word of their type. */
function detailsOf({ headers }: RawAnswer): Record<string, unknown> {
  const { details } = google.rpc.Status.decode(Buffer.from(headers['grpc-status-details-bin'] ?? '', 'base64'));
  const kinds: Record<string, { decode(bytes: Uint8Array): object }> = google.rpc;
  return Object.fromEntries(
    details.map(({ type_url: url, value }) => {
      const name = url.replace('type.googleapis.com/google.rpc.', '');
      return [name, kinds[name]?.decode(value)];
    }),
  );
}

describe('a message', () => {
  it('that is larger than the limit is RESOURCE_EXHAUSTED, also when it was compressed', async () => {
    const large = await once(COMPLETE, body('x'.repeat(2 << 20)));
    expect(large.headers['grpc-status']).toBe('8');
    const bomb = gzipSync(ChatRequest.encode({ messages: [{ role: 'user', content: 'x'.repeat(8 << 20) }] }).finish());
    const small = await once(COMPLETE, frame(bomb, 1), { 'grpc-encoding': 'gzip' });
    expect(small.headers['grpc-status']).toBe('8');
    const fits = gzipSync(ChatRequest.encode({ messages: [{ role: 'user', content: 'hi' }], max_tokens: 2 }).finish());
    expect((await once(COMPLETE, frame(fits, 1), { 'grpc-encoding': 'gzip' })).headers['grpc-status']).toBe('0');
  });

  it.each([
    ['invalid UTF-8', Buffer.from([0x0a, 2, 0xff, 0xfe])],
    ['a cut message', Buffer.from([0x12, 200])],
    ['a group without an end', Buffer.from([0x0b])],
    ['100,000 parts', Buffer.concat(Array.from({ length: 100_000 }, () => Buffer.from([0x12, 0])))],
  ])('with %s is INVALID_ARGUMENT', async (_, bytes) => {
    const answer = await once(COMPLETE, frame(bytes));
    expect(answer.headers['grpc-status']).toBe('3');
    expect(detailsOf(answer)['ErrorInfo']).toMatchObject({ reason: 'MESSAGE_INVALID', domain: 'troupe' });
  });

  it('that is empty, or missing, is refused', async () => {
    expect((await once(COMPLETE, frame(Buffer.alloc(0)))).headers['grpc-status']).toBe('3');
    expect((await once(COMPLETE, Buffer.alloc(0))).headers['grpc-status']).not.toBe('0');
  });

  it('that does not come whole in its time ends the call', async () => {
    await inSession(async (session) => {
      const stream = start(session, COMPLETE);
      const end = answered(stream);
      stream.write(hello.subarray(0, 10));
      expect((await end).headers['grpc-status']).toBe('4');
    });
  });

  it('has no more room than all of them together may take', async () => {
    await inSession(async (session) => {
      const streams = Array.from({ length: 5 }, () => start(session, COMPLETE));
      const ends = streams.map(answered);
      // Not whole, each below the limit of one.
      for (const stream of streams) stream.write(body('x'.repeat(1_000_000)).subarray(0, 900_000));
      const codes = (await Promise.all(ends)).map(({ headers }) => headers['grpc-status']);
      expect(codes).toContain('8');
    });
    expect((await once(COMPLETE, hello)).headers['grpc-status']).toBe('0');
  });
});

describe('a call', () => {
  it('with a bad field says which, in the details of its status', async () => {
    const answer = await once(COMPLETE, body('hi', { sampling: { temperature: 2.5 } }));
    expect(answer.headers['grpc-status']).toBe('3');
    expect(decodeURIComponent(answer.headers['grpc-message'] ?? '')).toBe(
      'sampling.temperature must be at most 2; it is 2.5',
    );
    const details = detailsOf(answer);
    expect(details['BadRequest']).toMatchObject({ field_violations: [{ field: 'sampling.temperature' }] });
    expect(details['ErrorInfo']).toMatchObject({ reason: 'INVALID_VALUE', metadata: { code: 'invalid_value' } });
    expect(details['RequestInfo']).toMatchObject({ request_id: answer.headers['x-request-id'] });
  });

  it('has the id that it brings, or a new one', async () => {
    expect((await once(COMPLETE, hello, { 'x-request-id': 'a.b:c-1' })).headers['x-request-id']).toBe('a.b:c-1');
    expect((await once(COMPLETE, hello)).headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    const refused = await once(COMPLETE, hello, { 'x-request-id': 'not an id' });
    expect(refused.headers['grpc-status']).toBe('3');
  });

  it('of no method is UNIMPLEMENTED, and of no gRPC 415', async () => {
    expect((await once('/troupe.engine.v1.Inference/Nothing', hello)).headers['grpc-status']).toBe('12');
    expect((await once(COMPLETE, hello, { 'content-type': 'application/json' })).headers[':status']).toBe('415');
  });

  it('with too much metadata is refused', async () => {
    const answer = await once(COMPLETE, hello, { 'x-large': 'x'.repeat(20_000) });
    expect(answer.headers['grpc-status']).toBe('3');
    expect((await once(COMPLETE, hello, { 'x-empty': '' })).headers['grpc-status']).toBe('0');
  });

  it('with a deadline in weeks is answered, and with one that is none refused', async () => {
    expect((await once(COMPLETE, hello, { 'grpc-timeout': '99999999H' })).headers['grpc-status']).toBe('0');
    expect((await once(COMPLETE, hello, { 'grpc-timeout': '1n' })).headers['grpc-status']).toBe('4');
    expect((await once(COMPLETE, hello, { 'grpc-timeout': 'soon' })).headers['grpc-status']).not.toBe('0');
  });

  it('too many is refused at once, and the others are answered', async () => {
    await inSession(async (session) => {
      const asked = body('Tell me a story.', { max_tokens: 60, sampling: { ignore_eos: true } });
      const answers = await Promise.all(Array.from({ length: 60 }, () => callRaw(session, COMPLETE, asked)));
      const codes = answers.map(({ headers }) => headers['grpc-status']);
      expect(codes.filter((code) => code === '0').length).toBeGreaterThanOrEqual(40);
      const refused = answers.find(({ headers }) => headers['grpc-status'] === '8');
      expect(detailsOf(refused ?? (answers[0] as RawAnswer))['RetryInfo']).toBeDefined();
    });
  });
});

describe('a reader', () => {
  it('that takes nothing is cut, and holds no more than what is on its way', async () => {
    await inSession(async (session) => {
      session.settings({ initialWindowSize: 0 });
      const stream = start(session, CHAT);
      const asked = { max_tokens: 4_000, sampling: { ignore_eos: true } };
      stream.end(body('Tell me a story.', asked));
      stream.pause();
      const isCut = (): boolean =>
        production.log.some(({ event, error }) => event === 'call' && error === 'reader_too_slow');
      await expect.poll(isCut, { timeout: 120_000 }).toBe(true);
    });
  });
});

describe('a connection', () => {
  it('that pings all the time gets ENHANCE_YOUR_CALM', async () => {
    await inSession(async (session) => {
      await callRaw(session, COMPLETE, hello);
      const goaway = new Promise<number>((resolve) => session.once('goaway', (code) => resolve(code)));
      const ping = (): void => {
        if (!session.destroyed) session.ping(() => ping());
      };
      ping();
      expect(await goaway).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    });
  });

  it('that resets more calls than it may is cut off, and its client kept out for a while', async () => {
    await inSession(async (session) => {
      const goaway = new Promise<number>((resolve) => session.once('goaway', (code) => resolve(code)));
      const isClosed = new Promise((resolve) => session.once('close', resolve));
      // Both frames of each in one write, so that they come together.
      for (let i = 0; i < 1_000 && !session.closed && !session.destroyed; i++) {
        start(session, CHAT).close(constants.NGHTTP2_CANCEL);
        if (i % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await goaway).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      await isClosed;
    });
    const client = 'spiffe://suite.test/data';
    expect(production.log).toContainEqual({
      event: 'connection',
      client,
      cut_off: 'too_many_resets',
      kept_out_seconds: 2,
    });
    for (let i = 0; i < 2; i++) {
      const refused = openSession(production, production.issued.data);
      await new Promise((resolve) => refused.once('close', resolve));
    }
    // Told once, however often it tries.
    const refusals = production.log.filter(({ refused }) => refused === 'its client was cut off');
    expect(refusals).toEqual([{ event: 'connection', client, refused: 'its client was cut off' }]);
    const text = await production.client(production.issued.control).control.metrics();
    expect(text).toContain('troupe_grpc_cut_off_total{reason="too_many_resets"} 1\n');
    expect(text).toContain('troupe_grpc_connections_refused_total{kind="kept_out"} 2\n');
    // Others are answered meanwhile, and it is itself when its time is over.
    const other = production.client(production.issued.both);
    expect((await other.chat({ messages: [{ role: 'user', content: 'hi' }], max_tokens: 2 })).choices).toHaveLength(1);
    await expect.poll(() => isAnswered(), { timeout: 120_000 }).toBe(true);
  });

  it('may ping while it is answered', async () => {
    await inSession(async (session) => {
      const stream = start(session, CHAT);
      const end = answered(stream);
      stream.end(body('Tell me a story.', { max_tokens: 40, sampling: { ignore_eos: true } }));
      stream.on('data', () => !session.destroyed && session.ping(() => {}));
      expect((await end).headers['grpc-status']).toBe('0');
    });
  });
});
