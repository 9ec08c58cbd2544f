import { describe, expect, it } from 'vitest';
import { generatedCases, hiddenByOldUws, measuredCases, trimmedByUws, type HostileCase } from './hostile-corpus.js';
import { openRaw, overTransports, start, type Started } from './over-transports.js';

const all = [...measuredCases, ...generatedCases];

/** A listener that notes what reaches its handler. */
async function startNoting(transport: 'node' | 'uws'): Promise<{ server: Started; served: string[] }> {
  const served: string[] = [];
  const server = await start(transport, async ({ method, path, body }) => {
    served.push(`${method} ${path} ${Buffer.from(body).toString('latin1')}`);
    return { status: 200, body: 'served' };
  });
  return { server, served };
}

/** Sends a case and the end of the connection; what was served when the server has closed it. */
async function tryCase(
  port: number,
  served: string[],
  { bytes }: HostileCase,
): Promise<{ served: string[]; answer: string }> {
  served.length = 0;
  using client = openRaw(port);
  client.send(bytes.replaceAll('{host}', `127.0.0.1:${port}`));
  client.socket.end();
  const answer = await client.closed;
  return { served: [...served], answer };
}

describe('the corpus of hostile requests', () => {
  it('has the 21 measured cases and 300 more, no two alike', () => {
    expect(measuredCases).toHaveLength(21);
    expect(generatedCases.length).toBeGreaterThanOrEqual(300);
    expect(new Set(generatedCases.map(({ bytes }) => bytes)).size).toBe(generatedCases.length);
  });
});

overTransports('hostile requests', (transport) => {
  it('are never served as anything that was not meant', async () => {
    const { server, served } = await startNoting(transport);
    await using _ = server;
    const wrong: unknown[] = [];
    for (const hostile of all) {
      const result = await tryCase(server.port, served, hostile);
      const isPrefix = result.served.every((line, i) => line === hostile.intended[i]);
      if (!isPrefix) wrong.push({ name: hostile.name, served: result.served });
    }
    expect(wrong).toEqual([]);
  });

  it('that uWebSockets.js hides from us are few, and known by name', async () => {
    const { server, served } = await startNoting(transport);
    await using _ = server;
    const names: string[] = [];
    for (const hostile of [...trimmedByUws, ...hiddenByOldUws]) {
      const result = await tryCase(server.port, served, hostile);
      if (result.served.length > 0) names.push(hostile.name);
    }
    // The version that the tests can install is an old one; it may serve this machine only.
    const known = [...trimmedByUws, ...hiddenByOldUws].map(({ name }) => name);
    expect(names).toEqual(transport === 'node' ? [] : known);
  });

  it('leave the listener well', async () => {
    const { server, served } = await startNoting(transport);
    await using _ = server;
    for (const hostile of all) await tryCase(server.port, served, hostile);
    const response = await fetch(`http://127.0.0.1:${server.port}/well`);
    expect([response.status, await response.text()]).toEqual([200, 'served']);
    expect(server.listener.stats().running).toBe(0);
  });
});
