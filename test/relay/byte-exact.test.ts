import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { expect, it } from 'vitest';
import { dialects } from '../../src/relay/index.js';
import { overTransports } from '../http/over-transports.js';
import { answerCorpus, type CorpusAnswer } from './answer-corpus.js';
import { ask, startRelay, startUpstream, type Received, type Script } from './raw-upstream.js';

/** The products bring a thousand to their clients, each over this relay: relay-serving/products/bytes.test.ts. */
const corpus = answerCorpus(600);

/** Answers of our own engine as they came over a socket, one string of latin1 a read. */
const recorded = JSON.parse(readFileSync('test/vectors/relay/engine.json', 'utf8')) as readonly {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly writes: readonly string[];
}[];

/** Writes the answer that the path names, each write in a turn of its own. */
const play: Script = async (text, socket) => {
  const answer = corpus[Number(/\/(\d+)/.exec(text)?.[1])];
  for (const bytes of answer?.writes ?? []) {
    socket.write(bytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (answer?.name.endsWith(' close') === true) socket.end();
};

/** What the listener and its transport set themselves. */
const OURS = ['x-request-id', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'uwebsockets'];

function expectSame(answer: CorpusAnswer, got: Received, transport: string): void {
  // uWebSockets.js writes its own date.
  const ours = transport === 'uws' ? [...OURS, 'date'] : OURS;
  const sent = answer.fields.filter(([name]) => transport !== 'uws' || name !== 'Date');
  const own = got.fields.filter(([name]) => !ours.includes(name.toLowerCase()));
  expect([answer.name, got.status, own]).toEqual([answer.name, answer.status, sent]);
  expect([answer.name, got.body.equals(answer.body), got.isBroken]).toEqual([answer.name, true, false]);
  if (transport === 'node') expect([answer.name, got.trailers]).toEqual([answer.name, answer.trailers]);
  if (answer.hasLength && answer.method !== 'HEAD') {
    const length = got.fields.find(([name]) => name.toLowerCase() === 'content-length');
    expect([answer.name, length?.[1]]).toEqual([answer.name, String(answer.body.length)]);
  }
}

overTransports('a relay', (transport) => {
  it.each([
    ['read by a tee', 0, { dialect: dialects['chat-completions'] }],
    ['not read, their requests in pieces', 300, { streams: true }],
  ])('brings 300 answers to its client byte for byte, %s', async (_, first, options) => {
    await using upstream = await startUpstream(play);
    await using relay = await startRelay(transport, upstream.url, options);
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const left = corpus.map((answer, i) => ({ answer, i })).slice(first, first + 300);
    const work = async (): Promise<void> => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) {
        const { answer, i } = item;
        const body = answer.method === 'HEAD' ? '' : '{"model":"a"}';
        expectSame(answer, await ask(relay.port, answer.method, `/${i}`, body, agent), transport);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    agent.destroy();
  });

  it('brings recorded answers as Node reads them without it, each piece when it comes', async () => {
    await using upstream = await startUpstream(async (text, socket) => {
      const { writes } = recorded[Number(/\/(\d+)/.exec(text)?.[1])] ?? { writes: [] };
      for (const bytes of writes) {
        socket.write(bytes, 'latin1');
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const relays = await Promise.all(
      [{}, { takeOutUsage: true }].map((response) => {
        return startRelay(transport, upstream.url, { dialect: dialects['chat-completions'], response });
      }),
    );
    const usage = /data: \{[^\n]*"choices":\[\],"usage":\{[^\n]*\n\n/;
    const kept = ({ fields }: Received): Received['fields'] =>
      fields.filter(([name]) => ![...OURS, 'date'].includes(name.toLowerCase()));
    let taken = 0;
    for (const [i, { name, method }] of recorded.entries()) {
      const direct = await ask(Number(new URL(upstream.url).port), method, `/${i}`);
      const [whole, without] = await Promise.all(relays.map(({ port }) => ask(port, method, `/${i}`)));
      const body = direct.body.toString();
      expect([name, whole?.status, whole && kept(whole), whole?.body.toString()]).toEqual([
        name,
        direct.status,
        kept(direct),
        body,
      ]);
      expect([name, without?.body.toString()]).toEqual([name, body.replace(usage, '')]);
      if (usage.test(body)) taken++;
    }
    expect(taken).toBe(3);
    for (const relay of relays) await relay[Symbol.asyncDispose]();
  });
});
