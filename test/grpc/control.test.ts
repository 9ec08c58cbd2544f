import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModelState, ServingStatus, type Client } from '../../src/client/index.js';
import { startProduction, type Production } from './production.js';

let production: Production;
let data: Client;
let control: Client;
beforeAll(async () => {
  production = await startProduction();
  data = production.client(production.issued.data);
  control = production.client(production.issued.control);
});
afterAll(() => production[Symbol.asyncDispose]());

const CANARY = 'canary-7f3a words of a prompt';
const endless = {
  messages: [{ role: 'user', content: CANARY }],
  max_tokens: 100_000,
  sampling: { ignore_eos: true, temperature: 0.9, seed: 4 },
};
const short = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 2 };

async function drainOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of stream) all.push(each);
  return all;
}

describe('cancelling', () => {
  it('by request id ends the call with CANCELLED, and its sequence in the engine', async () => {
    const ids: string[] = [];
    const running = drainOf(data.stream(endless, { requestId: 'job-17', onRequestId: (id) => ids.push(id) }));
    const ended = running.then(
      () => undefined,
      (error: unknown) => error,
    );
    await expect.poll(async () => (await control.control.status()).calls.length).toBe(1);
    expect((await control.control.status()).calls).toMatchObject([
      { request_id: 'job-17', method: '/troupe.engine.v1.Inference/Chat', identity: 'spiffe://suite.test/data' },
    ]);
    expect(await control.control.cancel('job-17')).toBe(1);
    expect(await ended).toMatchObject({ code: 'call_cancelled', details: { grpc_status: 'CANCELLED' } });
    expect(ids).toEqual(['job-17']);
    expect(await control.control.cancel('job-17')).toBe(0);
    const [model] = production.host.openModels();
    await expect.poll(async () => (await model?.client.stats())?.running).toBe(0);
  });

  it('by the client, by leaving the stream or by a deadline ends the sequence too', async () => {
    const [model] = production.host.openModels();
    const isIdle = (): Promise<void> => expect.poll(async () => (await model?.client.stats())?.running).toBe(0);
    const controller = new AbortController();
    const reason = new Error('enough');
    const aborted = drainOf(
      data.stream(endless, { signal: controller.signal, onRequestId: () => controller.abort(reason) }),
    );
    await expect(aborted).rejects.toBe(reason);
    await isIdle();
    for await (const chunk of data.stream(endless)) if (chunk.delta) break;
    await isIdle();
    await expect(drainOf(data.stream(endless, { deadlineMs: 50 }))).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    await isIdle();
    await expect(data.chat(endless, { deadlineMs: 50 })).rejects.toMatchObject({ code: 'deadline_exceeded' });
    await isIdle();
    await expect(data.chat(short, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('the audit log', () => {
  it('has a line for each call: who, what, how it ended, what it took, and nothing that was said', async () => {
    await data.chat(short, { requestId: 'audit-1' });
    await data
      .chat({ ...short, messages: [{ role: CANARY, content: CANARY }] }, { requestId: 'audit-2' })
      .catch(() => {});
    await expect.poll(() => production.log.filter(({ event }) => event === 'call').length).toBeGreaterThan(2);
    const lines = production.log.filter(({ event }) => event === 'call');
    expect(lines.find(({ id }) => id === 'audit-1')).toMatchObject({
      identity: 'spiffe://suite.test/data',
      method: '/troupe.engine.v1.Inference/Complete',
      code: 'OK',
      completion_tokens: expect.any(Number),
      prompt_tokens: expect.any(Number),
      ms: expect.any(Number),
    });
    expect(lines.find(({ id }) => id === 'audit-2')).toMatchObject({
      code: 'INVALID_ARGUMENT',
      error: 'invalid_value',
    });
    expect(lines.find(({ id }) => id === 'job-17')).toMatchObject({ code: 'CANCELLED', error: 'call_cancelled' });
    expect(JSON.stringify(production.log)).not.toContain('canary');
  });
});

describe('status and metrics', () => {
  it('tell of the instance, its model, its actors and its calls', async () => {
    const status = await control.control.status();
    expect(status).toMatchObject({ engine_id: 'suite', version: '0.0.0', draining: false, not_serving_because: '' });
    expect(status.model).toMatchObject({ id: 'demo', state: ModelState.MODEL_STATE_READY });
    expect(status.certificate_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(status.actors.map(({ path }) => path).join()).toContain('engine');
    const text = await control.control.metrics();
    expect(text).toMatch(
      /grpc_server_handled_total\{grpc_service="troupe.engine.v1.Inference",grpc_method="Complete",grpc_code="OK"\} \d/,
    );
    expect(text).toMatch(/troupe_grpc_connections \d/);
    expect(text).toMatch(/troupe_sequences_running\{model="demo"\} 0/);
  });
});

describe('health', () => {
  it('is checked by service, listed and watched', async () => {
    for (const service of ['', 'troupe.engine.v1.Inference', 'troupe.engine.v1.Control']) {
      expect(await data.health.check(service)).toBe(ServingStatus.SERVING);
    }
    await expect(data.health.check('no.such.Service')).rejects.toMatchObject({ details: { grpc_status: 'NOT_FOUND' } });
    for await (const status of data.health.watch('no.such.Service')) {
      expect(status).toBe(ServingStatus.SERVICE_UNKNOWN);
      break;
    }
  });

  it('follows the model, which is unloaded and loaded again', async () => {
    const seen: number[] = [];
    const watching = (async () => {
      for await (const status of data.health.watch()) {
        seen.push(status);
        if (seen.length === 3) break;
      }
    })();
    await expect.poll(() => seen).toEqual([ServingStatus.SERVING]);
    const running = drainOf(data.stream(endless)).then(
      () => undefined,
      (error: unknown) => error,
    );
    await expect.poll(async () => (await control.control.status()).calls.length).toBeGreaterThan(1);
    expect(await control.control.unload()).toBe(true);
    expect(await running).toMatchObject({ code: 'engine_closed' });
    expect(await control.control.unload()).toBe(false);
    await expect(data.chat(short)).rejects.toMatchObject({
      code: 'model_unloaded',
      details: { grpc_status: 'FAILED_PRECONDITION' },
    });
    expect(await data.listModels()).toMatchObject([{ id: 'demo', state: ModelState.MODEL_STATE_UNLOADED }]);
    expect((await control.control.status()).not_serving_because).toContain('not loaded');
    const [first, second] = await Promise.all([control.control.load(), control.control.load()]);
    expect([first.state, second.state]).toEqual([ModelState.MODEL_STATE_READY, ModelState.MODEL_STATE_READY]);
    expect((await data.chat(short)).choices).toHaveLength(1);
    await watching;
    expect(seen).toEqual([ServingStatus.SERVING, ServingStatus.NOT_SERVING, ServingStatus.SERVING]);
  });
});

describe('draining', () => {
  it('takes no new inference, lets what runs end, and says so in health', async () => {
    const running = drainOf(data.stream({ ...endless, max_tokens: 30 }));
    await expect.poll(async () => (await control.control.status()).calls.length).toBeGreaterThan(0);
    const drained = control.control.drain(20_000);
    await expect.poll(() => data.health.check()).toBe(ServingStatus.NOT_SERVING);
    await expect(data.chat(short)).rejects.toMatchObject({
      code: 'server_draining',
      details: { grpc_status: 'UNAVAILABLE' },
    });
    expect((await running).at(-1)?.usage?.completion_tokens).toBe(30);
    expect(await drained).toMatchObject({ finished: 1, ended: 0 });
    expect(await control.control.status()).toMatchObject({
      draining: true,
      not_serving_because: 'the server is draining',
    });
  });
});
