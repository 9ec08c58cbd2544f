// A server that ends, or breaks, its connection while the reader of its answer stands still. In undici 7 this was the end of
// the process.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createUpstream, reasonOf } from '../../src/relay/index.js';
import { until } from '../http/over-transports.js';
import { startUpstream } from './raw-upstream.js';

const SIZE = 300_000;
const body = 'x'.repeat(SIZE);
const head = (...fields: string[]): string => ['HTTP/1.1 200 OK', ...fields, '', ''].join('\r\n');
const whole = {
  'a length': `${head(`Content-Length: ${SIZE}`, 'Connection: close')}${body}`,
  'a length, on a connection that would have stayed': `${head(`Content-Length: ${SIZE}`)}${body}`,
  chunks: `${head('Transfer-Encoding: chunked', 'Connection: close')}${SIZE.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  'no length': `${head('Connection: close')}${body}`,
};

/** Reads an answer whose reader stands still after its first piece until the server has said all. */
async function readSlowly(bytes: string, end: 'end' | 'reset'): Promise<{ size: number; error: unknown }> {
  let isSaid = false;
  await using server = await startUpstream((_, socket) => {
    socket.write(bytes, () => {
      if (end === 'end') socket.end();
      else socket.resetAndDestroy();
      isSaid = true;
    });
  });
  await using upstream = await createUpstream({ id: 'test', baseUrl: server.url, limits: { heldBytes: 1_000 } });
  const answer = await upstream.request({ method: 'GET', target: '/', fields: [] });
  let size = (await answer.body.next()).value?.length ?? 0;
  await until(() => isSaid || size === 0);
  await until(() => server.open() === 0 || end === 'end');
  await sleep(30);
  try {
    for await (const piece of answer.body) {
      size += piece.length;
      if (size % 7 === 0) await sleep(1);
    }
    return { size, error: undefined };
  } catch (error) {
    return { size, error };
  }
}

describe('a reader that stands still', () => {
  it.each(Object.entries(whole))('gets all of an answer with %s whose server ends the connection', async (_, bytes) => {
    expect(await readSlowly(bytes, 'end')).toEqual({ size: SIZE, error: undefined });
  });

  it.each(Object.entries(whole))('outlives a server that breaks the connection: %s', async (_, bytes) => {
    const { size, error } = await readSlowly(bytes, 'reset');
    expect(size).toBeLessThanOrEqual(SIZE);
    if (error !== undefined) expect(reasonOf(error)).toBe('closed_early');
  });

  it('has what another request of its connection gets after it', async () => {
    await using server = await startUpstream(
      (_, socket) => void socket.write(`${head(`Content-Length: ${SIZE}`)}${body}`),
    );
    await using upstream = await createUpstream({
      id: 'test',
      baseUrl: server.url,
      limits: { heldBytes: 1_000, requests: 1 },
    });
    for (let i = 0; i < 5; i++) {
      const answer = await upstream.request({ method: 'GET', target: '/', fields: [] });
      let size = 0;
      for await (const piece of answer.body) {
        size += piece.length;
        await sleep(1);
      }
      expect(size).toBe(SIZE);
    }
    expect(server.open()).toBe(1);
  });
});
