import { Agent } from 'node:http';
import { expect, it } from 'vitest';
import { overTransports } from '../../http/over-transports.js';
import { answerCorpus } from '../../relay/answer-corpus.js';
import { ask } from '../../relay/raw-upstream.js';
import {
  caseOf,
  CASE,
  expectAskedOnce,
  expectSameAnswer,
  isPlainStream,
  USAGE_EVENT,
  writeAll,
} from '../../relay/corpus-checks.js';
import { fieldOf, startRuntime, type Play } from '../../gateway/serving/runtime.js';
import { chatBody, providerAt, startHosted, SOON } from './start-hosted.js';

const corpus = answerCorpus(1_000);
const dialects = ['chat-completions', 'completions', 'embeddings', 'responses', 'messages'] as const;
const paths = dialects.map((dialect) => ({ path: `/v1/${dialect}`, dialect }));
/** Headers that this service sets itself. */
const OURS = ['x-troupe-service-id', 'x-generation-id'];

const play: Play = async (asked, socket) => {
  const answer = corpus[caseOf(asked)];
  await writeAll(answer?.writes ?? [], socket);
  if (answer?.name.endsWith(' close') === true) socket.end();
};

overTransports('the hosted API', (transport) => {
  it.each([
    [1_000, 'streamed and not', 'observe'],
    [300, 'but for the chunk of usage that it asked for', 'inject'],
  ] as const)('brings %d answers to its client byte for byte, %s', { timeout: 180_000 }, async (count, _, metering) => {
    await using provider = await startRuntime(play);
    // A provider for each path, so that failures of one open no breaker before another.
    const providers = paths.map((path, i) => providerAt(provider.url, { id: `up${i}`, metering, paths: [path] }));
    await using node = await startHosted({ listen: { port: 0, transport }, providers });
    for (const i of paths.keys()) await node.price('demo', { provider: `up${i}` });
    const payer = await node.payer();
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    // Only POST is relayed.
    const left = corpus.slice(0, count).flatMap((answer, i) => (answer.method === 'POST' ? [{ answer, i }] : []));
    const total = left.length;
    let taken = 0;
    const work = async (): Promise<void> => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) {
        const { answer, i } = item;
        const at = i % (metering === 'inject' ? 2 : paths.length);
        const isStream = metering === 'inject' || i % 2 === 0;
        const body = chatBody({ x_unknown: i, ...(isStream && { stream: true }) });
        const headers = { ...payer.headers, [CASE]: String(i) };
        const got = await ask(node.port, 'POST', `/up${at}${paths[at]?.path ?? ''}`, body, agent, headers);
        const isInjected = metering === 'inject' && isPlainStream(answer);
        if (isInjected && USAGE_EVENT.test(answer.body.toString('latin1'))) taken++;
        expectSameAnswer({ answer, got, transport, isTaken: isInjected, ours: OURS, dropped: /^set-cookie$/i });
        const asked = provider.asked.find((each) => fieldOf(each, CASE) === String(i));
        if (metering === 'observe') expect(asked?.body).toBe(body);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    agent.destroy();
    expect(total).toBeGreaterThan(count / 2);
    expect(taken > 5).toBe(metering === 'inject');
    expectAskedOnce(provider.asked, corpus, total);
    await expect.poll(() => node.lines.length, SOON).toBe(total);
    expect(node.lines.filter(({ status }) => status === 499)).toEqual([]);
    // Every one has ended, and nothing is held.
    await expect.poll(async () => (await node.billing.accounts.get(payer.account.id)).heldMicro, SOON).toBe(0n);
    expect((await node.billing.ledger.verify()).faults).toEqual([]);
  });
});
