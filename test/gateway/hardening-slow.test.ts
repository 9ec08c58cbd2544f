// Clients that are slow on purpose (S2): they are cut within the limits, and an honest client is served beside them. How long it
// waits is measured in the long suite, with a crowd of 2,000.
import { expect, it } from 'vitest';
import { overTransports, until } from '../http/over-transports.js';
import { honestP99, startCrowd } from './hardening-crowd.js';
import { startGateway } from './hardening-gateway.js';
import { goodAnswer, pour, startFaulty, streamHead } from './hardening-upstreams.js';
import { slowness } from '../support/elapsed.js';

const LIMIT_MS = 1_000;

overTransports('a crowd of slow clients', (transport) => {
  it('is cut within the limits, while an honest client is served', async () => {
    await using runtime = await startFaulty({
      good: (socket) => void socket.write(goodAnswer),
      endless: (socket) => {
        socket.write(streamHead);
        return pour(socket, `: ${'x'.repeat(64 * 1024)}\n\n`);
      },
    });
    const limitMs = Math.ceil(LIMIT_MS * slowness());
    const httpLimits = { headerMs: limitMs, bodyStallMs: limitMs, writeStallMs: limitMs };
    const upstreams = { good: runtime.url, endless: runtime.url };
    await using gateway = await startGateway({ upstreams }, { transport, setup: { httpLimits } });
    await honestP99(gateway, 1);
    // uWebSockets.js has a limit of its own for heads, 10 s, which cannot be set: the long suite waits for it.
    using crowd = startCrowd(gateway, { heads: transport === 'node' ? 20 : 0, bodies: 20, readers: 20, everyMs: 50 });
    await honestP99(gateway, 20);
    await crowd.cut;
    await until(() => gateway.gateway.meter?.usageOf('vk_hard').runningRequests === 0);
    await until(() => runtime.open() < 10);
    await honestP99(gateway, 1);
    expect(runtime.asked.get('good')).toBe(22);
    expect(gateway.events.filter(({ event }) => event === 'reader cut')).toHaveLength(20);
  });
});
