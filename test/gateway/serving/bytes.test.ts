import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { expect, it } from 'vitest';
import { GATEWAY_ID_HEADER } from '../../../src/gateway/index.js';
import { dialects } from '../../../src/relay/index.js';
import { overTransports } from '../../http/over-transports.js';
import { answerCorpus } from '../../relay/answer-corpus.js';
import {
  CASE,
  caseOf,
  expectAskedOnce,
  expectSameAnswer,
  isPlainStream,
  LISTENER_FIELDS,
  NOT_OF_A_GATEWAY,
  USAGE_EVENT,
  writeAll,
} from '../../relay/corpus-checks.js';
import { ask, type Received } from '../../relay/raw-upstream.js';
import { chatBody, makeKey, modelOf, runtimeAt, startGateway, SOON } from './start-gateway.js';
import { fieldOf, openEvents, startRuntime, whole, type Play } from './runtime.js';

const corpus = answerCorpus(1_100);
const paths = [...Object.values(dialects).map(({ path }) => path), '/v1/rerank'];
const key = makeKey();

/** Answers of our own engine as they came over a socket, one string of latin1 a read. */
const recorded = (
  JSON.parse(readFileSync('test/vectors/relay/engine.json', 'utf8')) as {
    readonly method: string;
    readonly path: string;
    readonly writes: readonly string[];
  }[]
).filter(({ method, path }) => method === 'POST' && path.startsWith('/v1/'));

const play: Play = async (asked, socket) => {
  const answer = corpus[caseOf(asked)];
  await writeAll(answer?.writes ?? [], socket);
  if (answer?.name.endsWith(' close') === true) socket.end();
};

overTransports('a gateway', (transport) => {
  it.each([
    [1_000, 'streamed and not', 'observe'],
    [300, 'but for the chunk of usage that it asked for', 'inject'],
  ] as const)('brings %d answers to its client byte for byte, %s', { timeout: 120_000 }, async (count, _, metering) => {
    await using runtime = await startRuntime(play);
    const parts = {
      runtimes: [runtimeAt(runtime.url, { kind: 'vllm', metering })],
      // A model for each path, so that failures of one open no breaker before another.
      models: paths.map((__, i) => modelOf({ id: `demo${i}` })),
      virtual_keys: [key.entry],
      passthrough: ['/v1/rerank'],
    };
    await using gateway = await startGateway(parts, { transport });
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    // A 404 whose body names no model says that the runtime lacks the API: translated.test.ts has what becomes of it.
    const left = corpus.flatMap((answer, i) => (answer.status === 404 ? [] : [{ answer, i }])).slice(0, count);
    let taken = 0;
    const work = async (): Promise<void> => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) {
        const { answer, i } = item;
        // The chunk is asked for in two of the APIs, which come first.
        const at = answer.method === 'HEAD' ? paths.length - 1 : i % (metering === 'inject' ? 2 : paths.length);
        const isStream = metering === 'inject' || i % 2 === 0;
        const body = chatBody({ model: `demo${at}`, ...(isStream && { stream: true }) });
        // Node's client sends a body of HEAD only with a stated length.
        const headers = { ...key.headers, [CASE]: String(i), 'content-length': String(body.length) };
        const got = await ask(gateway.port, answer.method, paths[at] ?? '', body, agent, headers);
        const isInjected = at < 2 && metering === 'inject' && isPlainStream(answer);
        if (isInjected && USAGE_EVENT.test(answer.body.toString('latin1'))) taken++;
        expectSameAnswer({
          answer,
          got,
          transport,
          isTaken: isInjected,
          ours: [GATEWAY_ID_HEADER],
          dropped: NOT_OF_A_GATEWAY,
        });
        if (answer.hasLength && answer.method !== 'HEAD' && !isInjected) {
          expect(got.fields.find(([name]) => name.toLowerCase() === 'content-length')?.[1]).toBe(
            String(answer.body.length),
          );
        }
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    agent.destroy();
    expect(taken > 5).toBe(metering === 'inject');
    expectAskedOnce(runtime.asked, corpus, count);
    await expect.poll(() => gateway.lines.length, SOON).toBe(count);
    // An answer without a body is as whole as one that was read to its end.
    expect(gateway.lines.filter(({ status }) => status === 499)).toEqual([]);
  });

  it('brings recorded answers of an engine as they came', async () => {
    await using runtime = await startRuntime((asked, socket) =>
      writeAll(recorded[caseOf(asked)]?.writes ?? [], socket),
    );
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const ours = [...LISTENER_FIELDS, GATEWAY_ID_HEADER, 'date'];
    const kept = ({ fields }: Received): Received['fields'] =>
      fields.filter(([name]) => !ours.includes(name.toLowerCase())).map(([name, value]) => [name.toLowerCase(), value]);
    for (const [i, { method, path }] of recorded.entries()) {
      const headers = { ...key.headers, [CASE]: String(i) };
      const direct = await ask(Number(new URL(runtime.url).port), method, path, chatBody(), undefined, headers);
      const through = await ask(gateway.port, method, path, chatBody(), undefined, headers);
      expect([through.status, kept(through), through.body.toString()]).toEqual([
        direct.status,
        kept(direct),
        direct.body.toString(),
      ]);
    }
    expect(recorded.length).toBeGreaterThan(6);
  });

  it('brings zstd as it is', async () => {
    const body = toZstd(Buffer.from('{"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":3}}'));
    await using runtime = await startRuntime(
      (_, socket) => void socket.write(whole(body, 200, ['Content-Encoding: zstd'])),
    );
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const headers = { ...key.headers, 'accept-encoding': 'zstd' };
    const got = await ask(gateway.port, 'POST', '/v1/chat/completions', chatBody(), undefined, headers);
    expect(got.body.equals(body)).toBe(true);
    expect(
      fieldOf({ method: '', target: '', body: '', fields: runtime.asked[0]?.fields ?? [] }, 'accept-encoding'),
    ).toBe('zstd');
  });

  it.each([
    ['had not asked', {}, false],
    ['had asked', { stream_options: { include_usage: true } }, true],
    ['had said no', { stream_options: { include_usage: false } }, false],
  ])('takes the chunk of usage out exactly when its client %s not', async (_, options, isLeft) => {
    await using runtime = await startRuntime((___, socket) => {
      const events = openEvents(socket);
      events.token();
      events.usage(5, 1);
      events.end();
    });
    const parts = { runtimes: [runtimeAt(runtime.url, { kind: 'vllm' })], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { transport });
    const body = chatBody({ stream: true, ...options });
    const got = await ask(gateway.port, 'POST', '/v1/chat/completions', body, undefined, key.headers);
    expect(JSON.parse(runtime.asked[0]?.body ?? '')).toMatchObject({ stream_options: { include_usage: true } });
    expect(got.body.toString().includes('"usage"')).toBe(isLeft);
    expect(got.body.toString()).toMatch(/" a".*data: \[DONE\]\n\n$/s);
    await expect
      .poll(() => gateway.meter.usage({ by: 'key' }), SOON)
      .toMatchObject([{ promptTokens: 5, completionTokens: 1 }]);
  });
});

/** `data` in a frame of one block that is stored. Source: RFC 8878, 3.1.1. */
function toZstd(data: Buffer): Buffer {
  const block = (data.length << 3) | 1;
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, data.length, block & 255, (block >> 8) & 255, (block >> 16) & 255];
  return Buffer.concat([Buffer.from(head), data]);
}
