import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChatCompletionChunk } from '../../src/api/index.js';
import { assemble } from './chunk-order.js';
import { overTransports } from '../http/over-transports.js';
import { readChunks, startServing, type Serving } from './serving.js';

const STREAMS = 16;
const request = (seed: number): object => ({
  model: 'demo',
  stream: true,
  messages: [{ role: 'user', content: 'Tell me a story.' }],
  seed,
  max_tokens: 120,
  ignore_eos: true,
});

overTransports('streams whose engine is killed', (transport) => {
  let serving: Serving;
  let expected: string[] = [];

  const converse = (onBegun: (seed: number) => void = () => {}): Promise<string[]> =>
    Promise.all(
      Array.from({ length: STREAMS }, async (_, seed) => {
        const response = await serving.post('/v1/chat/completions', request(seed));
        expect(response.status).toBe(200);
        onBegun(seed);
        const { choices } = assemble(await readChunks<ChatCompletionChunk>(response));
        expect(choices[0]?.finishReason).toBe('length');
        return choices[0]?.content ?? '';
      }),
    );

  beforeAll(async () => {
    serving = await startServing({ threads: 2 }, { transport });
    expected = await converse();
  });
  afterAll(() => serving[Symbol.asyncDispose]());

  it.each(['engine', 'compute-1'])('go on with the tokens that they would have had: %s', async (victim) => {
    const [model] = serving.host.openModels();
    const restarted: string[] = [];
    const off = model?.supervisor.onEvent(({ type, id }) => type === 'restarted' && restarted.push(id));
    const texts = await converse((seed) => {
      if (seed === STREAMS - 1) model?.supervisor.kill(victim);
    });
    off?.();
    expect(restarted).toContain('engine');
    expect(texts).toEqual(expected);
    expect((await fetch(`${serving.url}/ready`)).status).toBe(200);
    const metrics = await (await fetch(`${serving.url}/metrics`)).text();
    expect(metrics).toMatch(/^troupe_actor_restarts_total\{model="demo",actor="engine"\} [1-9]/m);
  });

  it('end in the engine when their clients leave', async () => {
    const leave = new AbortController();
    const answers = await Promise.all(
      Array.from({ length: STREAMS }, async (_, seed) =>
        serving.post('/v1/chat/completions', request(seed), { signal: leave.signal }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(STREAMS).fill(200));
    leave.abort();
    const [model] = serving.host.openModels();
    await expect.poll(async () => model?.client.stats()).toMatchObject({ running: 0, waiting: 0 });
    await expect.poll(() => serving.log.filter(({ status }) => status === 499).length).toBe(STREAMS);
    await expect.poll(() => serving.host.models()[0]?.runningCalls).toBe(0);
  });
});
