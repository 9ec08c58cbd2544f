import { expect, it } from 'vitest';
import { overTransports } from '../http/over-transports.js';
import { startServing } from './serving.js';

/** An answer that takes longer than any test waits. */
const request: object = {
  model: 'demo',
  messages: [{ role: 'user', content: 'Tell me a story.' }],
  max_tokens: 100_000,
  ignore_eos: true,
};

overTransports('a request without an end', (transport) => {
  it('of a client that leaves is logged as one whose client left, and one that the server stops as stopped', async () => {
    await using serving = await startServing({}, { transport });
    const logged = (): object[] =>
      serving.log.flatMap(({ event, status, code }) => (event === 'request' ? [{ status, code }] : []));
    const running = async (): Promise<number> => (await serving.host.openModels()[0]?.client.stats())?.running ?? 0;

    const leave = new AbortController();
    const left = serving.post('/v1/chat/completions', request, { signal: leave.signal });
    await expect.poll(running, { timeout: 120_000 }).toBe(1);
    leave.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(logged).toEqual([{ status: 499, code: 'client_left' }]);

    const stopped = serving.post('/v1/chat/completions', request);
    await expect.poll(running, { timeout: 120_000 }).toBe(1);
    await serving.server.drain(0);
    const response = await stopped;
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { code: 'shutting_down' } });
    expect(logged().slice(1)).toEqual([{ status: 503, code: 'shutting_down' }]);
  });
});
