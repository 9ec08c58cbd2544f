// Probes of a runtime that does not answer: late is not away at once, and a late process knows nothing.
import { describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../src/base/index.js';
import { parseGatewayConfig } from '../../src/gateway/index.js';
import { probeRuntime } from '../../src/gateway/probes/probe-runtime.js';
import { startUpstream } from '../relay/raw-upstream.js';
import { whole } from './serving/runtime.js';
import { chat, makeKey, runtimeAt, startGateway } from './serving/start-gateway.js';
import { completion } from './serving/runtime.js';
import { errorOf, SOON } from '../support/start-product.js';

const MODELS = '{"object":"list","data":[{"id":"up","object":"model","created":0,"owned_by":"me"}]}';

/** A clock on which time goes `factor` times as fast. */
const fast = (factor: number): Clock => ({
  ...systemClock,
  nowMs: () => systemClock.nowMs() * factor,
  after: (delayMs, run) => systemClock.after(delayMs / factor, run),
});

/** A runtime that lets its next `silent` probes wait for ever. */
async function startSilent() {
  const state = { silent: 0, probes: 0 };
  const upstream = await startUpstream((text, socket) => {
    if (text.startsWith('POST')) return void socket.write(whole(completion(3, 2)));
    state.probes++;
    if (state.silent > 0) state.silent--;
    else socket.write(whole(MODELS));
  });
  return { ...upstream, state };
}

describe('a runtime whose probes run out of time', () => {
  it('stays in service after two in a row, and is away after three', async () => {
    await using runtime = await startSilent();
    const { state } = runtime;
    const key = makeKey();
    const parts = { runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry] };
    await using gateway = await startGateway(parts, { clock: fast(10), probeMs: 100 });
    expect((await chat(gateway, key)).status).toBe(200);
    state.silent = 2;
    const before = state.probes;
    while (state.probes < before + 4) expect((await chat(gateway, key)).status).toBe(200);
    state.silent = Infinity;
    await expect.poll(async () => (await chat(gateway, key)).status, SOON).toBe(503);
    const refused = errorOf(await chat(gateway, key));
    expect(refused).toMatchObject({
      code: 'upstream_busy',
      message: 'the upstream demo has no server in service now; try again later, or see the state of its servers',
    });
    state.silent = 0;
    await expect.poll(async () => (await chat(gateway, key)).status, SOON).toBe(200);
  });
});

describe('a probe', () => {
  it('says late after its time, and nothing where its own process was late', async () => {
    await using runtime = await startSilent();
    runtime.state.silent = Infinity;
    const text = `gateway_id: gw_a1\nruntimes: [{ id: r, kind: vllm, base_url: '${runtime.url}' }]\n`;
    const [config] = parseGatewayConfig(text, 'gateway.yaml').config.runtimes;
    if (config === undefined) throw new Error('one runtime');
    let lateMs = 0;
    let nowMs = 0;
    /** Timers end at once, `lateMs` after their time; that of the connection does not. */
    const clock: Clock = {
      ...systemClock,
      nowMs: () => nowMs,
      after(delayMs, run) {
        const cancel = systemClock.after(50, () => {
          nowMs += delayMs + lateMs;
          run();
        });
        return cancel;
      },
    };
    expect(await probeRuntime(config, clock)).toMatchObject({ isHealthy: false, trouble: 'unreachable', isLate: true });
    lateMs = 3_000;
    expect(await probeRuntime(config, clock)).toBeUndefined();
  });
});
