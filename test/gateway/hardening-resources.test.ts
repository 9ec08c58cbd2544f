// A machine that runs out of something, and an operator who ends the process (F3, F7).
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HandClock } from '../http/hand-clock.js';
import { openRaw, signalOf, until, type RawClient } from '../http/over-transports.js';
import { canMount, mountSmallDisk } from '../support/full-disk.js';
import { chat, chatBody, keyHeaders, startGateway, startProcess } from './hardening-gateway.js';
import { goodAnswer, startFaulty, streamHead, tokenEvent } from './hardening-upstreams.js';

const MIB = 1024 * 1024;

/** Writes until there is no room left; gives the room back when it is disposed of. */
function fillDisk(directory: string): Disposable {
  const path = join(directory, 'filler');
  const file = openSync(path, 'w');
  for (const sizeBytes of [64 * 1024, 1024, 1]) {
    const bytes = new Uint8Array(sizeBytes);
    try {
      for (;;) if (writeSync(file, bytes) < sizeBytes) break;
    } catch {
      // Full, up to this size.
    }
  }
  closeSync(file);
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}

/** A chat as bytes, whose answer is looked at while it comes. */
function sendRaw({ port, key }: { readonly port: number; readonly key: string }, body: string): RawClient {
  const client = openRaw(port);
  const fields = Object.entries(keyHeaders(key)).map(([name, value]) => `${name}: ${value}`);
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  client.send(
    [`POST /v1/chat/completions HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...fields, length, '', body].join('\r\n'),
  );
  return client;
}

describe.runIf(canMount)('a disk that is full', () => {
  it('refuses what would have to be charged, loses nothing, and is served again once there is room', async () => {
    using disk = mountSmallDisk(3 * MIB);
    const clock = new HandClock();
    const go = signalOf();
    await using runtime = await startFaulty({
      good: (socket) => void socket.write(goodAnswer),
      long: async (socket) => {
        socket.write(streamHead + tokenEvent);
        await go.promise;
        socket.write(tokenEvent.repeat(2_000));
      },
    });
    const upstreams = { good: runtime.url, long: runtime.url };
    const dataDir = join(disk.path, 'data');
    await using gateway = await startGateway(
      { upstreams, dataDir, keyLimits: '{ budget: { tokens: 1000000, window: day } }' },
      { clock },
    );
    const { meter } = gateway.gateway;
    const used = (): bigint => meter?.usageOf('vk_hard').budgets[0]?.used ?? 0n;
    expect((await chat(gateway, 'good')).status).toBe(200);
    using stream = sendRaw(gateway, chatBody('long', { stream: true }));
    await stream.until((text) => text.includes('tok'));
    let served = 1;
    {
      using _ = fillDisk(disk.path);
      let refused: Response | undefined;
      for (let i = 0; i < 3_000 && refused === undefined; i++) {
        const answer = await chat(gateway, 'good');
        if (answer.status === 200) served++;
        else refused = answer;
        await answer.clone().text();
      }
      expect(refused?.status).toBe(503);
      expect(refused?.headers.get('retry-after')).toBe('1');
      const body = (await refused?.json()) as { error: { code: string; message: string } };
      expect(body.error.code).toBe('metering_unavailable');
      expect(body.error.message).toMatch(/usage cannot be written .* make room on the disk/);
      // A stream under way has what was reserved for it, and ends with an event that says why.
      go.resolve();
      await stream.until((text) => text.includes('metering_unavailable'));
      expect(runtime.open()).toBeLessThan(20);
      const change = meter?.createKey(
        { name: 'x', models: null, expiresAtMs: null, limits: { budgets: [] } },
        { kind: 'cli' },
      );
      await expect(change).rejects.toMatchObject({ code: expect.stringMatching(/^(audit|metering)_unavailable$/) });
      expect((await fetch(`http://127.0.0.1:${gateway.port}/health`)).status).toBe(200);
    }
    clock.advance(1_000);
    const answer = await chat(gateway, 'good');
    expect([answer.status, await answer.clone().text()]).toEqual([200, expect.any(String)]);
    await answer.text();
    served++;
    await until(() => (meter?.usageOf('vk_hard').runningRequests ?? 1) === 0);
    const byModel = new Map(meter?.usage({ by: 'model' }).map((row) => [row.name, row]));
    expect(byModel.get('good')).toMatchObject({ requests: served, promptTokens: 3 * served, completionTokens: served });
    expect(byModel.get('long')?.completionTokens).toBeGreaterThanOrEqual(1);
    expect(byModel.get('long')?.completionTokens).toBeLessThanOrEqual(512);
    expect(used()).toBeGreaterThan(BigInt(4 * served));
    expect(gateway.events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['metering unavailable', 'metering available again']),
    );
    expect(await meter?.audit.verify()).toMatchObject({ ok: true });
  });

  it('that is read-only is reported when the gateway starts', async () => {
    using disk = mountSmallDisk(MIB);
    const dataDir = join(disk.path, 'data');
    mkdirSync(dataDir);
    disk.makeReadOnly();
    await expect(startGateway({ upstreams: {}, dataDir })).rejects.toMatchObject({
      code: 'access_denied',
      message: expect.stringContaining('the file system is read-only'),
    });
    expect(readdirSync(dataDir)).toEqual([]);
  });
});

/** Whether limits of other processes can be set here. */
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

describe.runIf(hasPrlimit)('a process that may open no more files', () => {
  it('lives, refuses with a code, and serves again', async () => {
    await using runtime = await startFaulty({
      good: (socket) => void socket.write(goodAnswer),
      stays: (socket) => void socket.write(streamHead + tokenEvent),
    });
    await using gateway = await startProcess({ upstreams: { good: runtime.url, stays: runtime.url } });
    expect((await chat(gateway, 'good')).status).toBe(200);
    spawnSync('prlimit', ['--nofile=64:1024', '--pid', String(gateway.child.pid)]);
    const open = (count: number): RawClient[] =>
      Array.from({ length: count }, () => sendRaw(gateway, chatBody('stays', { stream: true })));
    const clients = open(8);
    await Promise.all(clients.map((client) => client.until((text) => text.includes('tok'))));
    clients.push(...open(92));
    const outcomes = await Promise.all(
      clients.map(async (client) => {
        const first = await Promise.race([client.until((text) => text.includes('\r\n\r\n')), client.closed]).catch(
          () => '',
        );
        return /^HTTP\/1\.1 (\d+)/.exec(first)?.[1] ?? 'no connection';
      }),
    );
    expect(new Set(outcomes).has('200')).toBe(true);
    expect(outcomes.every((outcome) => ['200', '503', 'no connection'].includes(outcome))).toBe(true);
    expect(outcomes.filter((outcome) => outcome !== '200').length).toBeGreaterThan(30);
    expect(gateway.child.exitCode).toBeNull();
    for (const client of clients) client.socket.destroy();
    await until(() => runtime.open() < 10);
    // What was refused for want of files says nothing of the runtime: it is asked again at once.
    let answer = await chat(gateway, 'good').catch(() => undefined);
    while (answer === undefined) answer = await chat(gateway, 'good').catch(() => undefined);
    expect(answer.status).toBe(200);
  });
});

describe.skipIf(process.platform === 'win32')('SIGTERM under load', () => {
  it('refuses what is new at once, lets streams end or gives them a last event, and exits with 0', async () => {
    const finish = signalOf();
    await using runtime = await startFaulty({
      good: (socket) => void socket.write(goodAnswer),
      ends: async (socket) => {
        socket.write(streamHead + tokenEvent);
        await finish.promise;
        socket.end('data: [DONE]\n\n');
      },
      stays: (socket) => {
        socket.write(streamHead + tokenEvent);
        const timer = setInterval(() => socket.write(tokenEvent), 5);
        socket.once('close', () => clearInterval(timer));
      },
      silent: () => {},
    });
    const upstreams = Object.fromEntries(['good', 'ends', 'stays', 'silent'].map((id) => [id, runtime.url]));
    await using gateway = await startProcess({ upstreams, limits: '{ drain_s: 1 }' });
    expect((await fetch(`http://127.0.0.1:${gateway.port}/ready`)).status).toBe(200);
    const start = (model: string): RawClient[] =>
      Array.from({ length: 10 }, () => sendRaw(gateway, chatBody(model, { stream: true })));
    const [ends, stays] = [start('ends'), start('stays')];
    await Promise.all([...ends, ...stays].map((client) => client.until((text) => text.includes('tok'))));
    using silent = sendRaw(gateway, chatBody('silent'));
    await until(() => runtime.asked.get('silent') === 1);
    using idle = openRaw(gateway.port);
    idle.send(`GET /ready HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n\r\n`);
    await idle.until((text) => text.includes('ready"'));
    gateway.child.kill('SIGTERM');
    while (await isListening(gateway.port)) await new Promise((resolve) => setImmediate(resolve));
    await expect(fetch(`http://127.0.0.1:${gateway.port}/ready`)).rejects.toThrow('fetch failed');
    idle.send(`GET /ready HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n\r\n`);
    const answers = (await idle.closed).match(/HTTP\/1\.1 \d+/g);
    expect(answers?.slice(1).every((line) => line === 'HTTP/1.1 503')).toBe(true);
    finish.resolve();
    for (const client of ends) {
      const text = await client.closed;
      expect(text).toContain('data: [DONE]');
      expect(text.endsWith('0\r\n\r\n')).toBe(true);
    }
    for (const client of stays) {
      const text = await client.closed;
      expect(text).toContain('shutting_down');
      expect(text.endsWith('0\r\n\r\n')).toBe(true);
    }
    expect(await silent.closed).toMatch(/^HTTP\/1\.1 503 [^]*shutting_down/);
    expect(await gateway.ended).toBe(0);
    expect(gateway.output()).not.toContain('Error');
  });
});

/** Whether a port can be connected to. */
async function isListening(port: number): Promise<boolean> {
  using client = openRaw(port);
  return await new Promise((resolve) => {
    client.socket.once('connect', () => resolve(true));
    client.socket.once('error', () => resolve(false));
  });
}
