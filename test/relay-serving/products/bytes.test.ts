import { Agent } from 'node:http';
import { expect, it } from 'vitest';
import { fieldOf, startRuntime, type Play } from '../../gateway/serving/runtime.js';
import { answerCorpus } from '../../relay/answer-corpus.js';
import {
  CASE,
  caseOf,
  expectAskedOnce,
  expectSameAnswer,
  isPlainStream,
  USAGE_EVENT,
  writeAll,
} from '../../relay/corpus-checks.js';
import { ask } from '../../relay/raw-upstream.js';
import { chatBody, headerOf, SOON } from '../../support/start-product.js';
import { describeTransports } from './relay-products.js';

const corpus = answerCorpus(1_100);

const play: Play = async (asked, socket) => {
  const answer = corpus[caseOf(asked)];
  await writeAll(answer?.writes ?? [], socket);
  if (answer?.name.endsWith(' close') === true) socket.end();
};

describeTransports('answers', ({ apis, relays, keepsBody, sharesCorpus, ours, dropped, start }, transport) => {
  it.each([
    [1_000, 'streamed and not', 'observe'],
    [300, 'but for the chunk of usage that the product asked for', 'inject'],
  ] as const)('come to the client byte for byte, %d of them, %s', async (count, _, metering) => {
    await using upstream = await startRuntime(play);
    await using product = await start(upstream.url, { transport, metering });
    const caller = await product.caller();
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    // A 404 whose body names no model says that the upstream lacks the API: translated.test.ts has what becomes of it.
    const fitting = corpus.flatMap((answer, i) =>
      answer.status !== 404 && relays(answer.method) ? [{ answer, i }] : [],
    );
    // By pairs: whether a request is streamed goes by its number, too.
    const parity = transport === 'node' ? 0 : 1;
    const left = fitting.slice(0, count).filter(({ i }) => !sharesCorpus || (i >> 1) % 2 === parity);
    const total = left.length;
    /** Requests that are to reach the upstream as they are, by their number. */
    const bodies: (readonly [number: string, body: string])[] = [];
    let taken = 0;
    const work = async (): Promise<void> => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) {
        const { answer, i } = item;
        // The chunk is asked for in two of the APIs, which come first. The last one takes any method.
        const at = answer.method === 'HEAD' ? apis.length - 1 : i % (metering === 'inject' ? 2 : apis.length);
        const { path = '', model = '' } = apis[at] ?? {};
        const isStream = metering === 'inject' || i % 2 === 0;
        const body = chatBody({ model, x_unknown: i, ...(isStream && { stream: true }) });
        // Node's client sends a body of HEAD only with a stated length.
        const headers = { ...caller.headers, [CASE]: String(i), 'content-length': String(body.length) };
        const got = await ask(product.port, answer.method, path, body, agent, headers);
        const isInjected = at < 2 && metering === 'inject' && isPlainStream(answer);
        if (isInjected && USAGE_EVENT.test(answer.body.toString('latin1'))) taken++;
        expectSameAnswer({ answer, got, transport, isTaken: isInjected, ours, dropped });
        if (answer.hasLength && answer.method !== 'HEAD' && !isInjected)
          expect(headerOf(got, 'content-length')).toBe(String(answer.body.length));
        if (keepsBody && metering === 'observe') bodies.push([String(i), body]);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    agent.destroy();
    expect(total).toBeGreaterThan(sharesCorpus ? count / 4 : count / 2);
    const asked = new Map(upstream.asked.map((each) => [fieldOf(each, CASE), each.body]));
    expect(bodies.filter(([number, body]) => asked.get(number) !== body)).toEqual([]);
    expect(taken > (sharesCorpus ? 2 : 5)).toBe(metering === 'inject');
    expectAskedOnce(upstream.asked, corpus, total);
    await expect.poll(() => product.lines.length, SOON).toBe(total);
    // An answer without a body is as whole as one that was read to its end.
    expect(product.lines.filter(({ status }) => status === 499)).toEqual([]);
  });
});
