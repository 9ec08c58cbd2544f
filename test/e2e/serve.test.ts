import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryDirectory, ended, startCli } from './processes.js';
import { runHere } from './run-here.js';

const STORY = {
  model: 'demo',
  stream: true,
  messages: [{ role: 'user', content: 'Tell me a story.' }],
  ignore_eos: true,
};

let home: ReturnType<typeof createTemporaryDirectory>;
beforeAll(() => {
  home = createTemporaryDirectory();
});
afterAll(() => home.remove());

/** `serve --http` on a free port, once it listens. One compute thread: what is tried here is the process and its server. */
async function startServer(...args: string[]): Promise<{ child: ChildProcess; url: string; stderr: () => string }> {
  const child = startCli(['serve', '--http', '--port', '0', '--threads', '1', ...args], home.path);
  if (child.stdout === null || child.stderr === null) throw new Error('a child with pipes');
  let errors = '';
  child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const [, url] = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line) ?? [];
  if (url === undefined) throw new Error(`it said ${line} ${errors}`);
  return { child, url, stderr: () => errors };
}

function post(url: string, body: object): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
}

describe('native-engine serve', () => {
  it('has the demo where there is no home, and says how to name a directory of models', async () => {
    const child = startCli(['serve', '--http', '--port', '0'], '');
    if (child.stdout === null || child.stderr === null) throw new Error('a child with pipes');
    const [listening] = (await once(createInterface(child.stdout), 'line')) as [string];
    let models = '';
    for await (const line of createInterface(child.stderr)) {
      models = line;
      if (line.includes('models: ')) break;
    }
    expect(models).toMatch(/models: demo; there is no home directory, so name a directory with --models-dir$/);
    const list = await fetch(`${listening.replace('listening on ', '')}/v1/models`);
    expect(((await list.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual(['demo']);
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
  });

  it('lets answers under way end after SIGTERM, takes no new ones, and exits with 0', async () => {
    const { child, url, stderr } = await startServer();
    // Within the 30 s that they have, on a busy machine too.
    const story = { ...STORY, max_tokens: 60 };
    const streams = await Promise.all([1, 2, 3, 4].map(async (seed) => post(url, { ...story, seed })));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    child.kill('SIGTERM');
    await expect.poll(stderr).toContain('stopping');
    await expect(post(url, STORY).then(({ status }) => status)).rejects.toThrow();
    const texts = await Promise.all(streams.map(async (response) => response.text()));
    for (const text of texts) {
      expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
      expect(text).toContain('"finish_reason":"length"');
    }
    expect(await ended(child)).toBe(0);
    expect(stderr()).not.toContain('story');
  });

  it('ends at once at a second signal', async () => {
    const { child, url, stderr } = await startServer();
    // It is not read, so it does not end.
    const stream = await post(url, { ...STORY, n: 16 });
    expect(stream.status).toBe(200);
    child.kill('SIGTERM');
    await expect.poll(stderr).toContain('stopping');
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(143);
    await stream.body?.cancel().catch(() => {});
  });

  it('names who has the port', async () => {
    const { child, url } = await startServer();
    const port = new URL(url).port;
    const { code, stdout, stderr } = await runHere(['serve', '--http', '--port', port], home.path);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(`port ${port} of 127.0.0.1 is in use by `);
    if (process.platform === 'linux') expect(stderr).toContain(`(process ${child.pid})`);
    expect(stderr).toContain('code: address_in_use');
    child.kill('SIGINT');
    expect(await ended(child)).toBe(0);
  });

  it('warns before others can reach it', async () => {
    const holder = createServer().listen(0, '0.0.0.0');
    await once(holder, 'listening');
    const address = holder.address();
    const port = String(typeof address === 'object' ? address?.port : '');
    const { code, stderr } = await runHere(['serve', '--http', '--host', '0.0.0.0', '--port', port], home.path);
    holder.close();
    expect(code).toBe(3);
    expect(stderr).toMatch(/WARNING: 0\.0\.0\.0 .*asks for\nno key/s);
  });

  it.each([
    [['--http', '--port', '70000'], 'invalid_option', 2],
    [['--http', '--transport', 'carrier-pigeon'], 'invalid_option', 2],
    [['--http', '--queue', '-1'], 'invalid_option', 2],
    [['--http', '--step-timeout', '0'], 'invalid_option', 2],
    [['--http', '--ctx', '1'], 'invalid_option', 2],
    [['--http', '--host', '203.0.113.7', '--port', '0'], 'address_unavailable', 3],
  ])('refuses %j', async (args, name, status) => {
    const { code, stdout, stderr } = await runHere(['serve', ...args], home.path);
    expect({ code, stdout }).toEqual({ code: status, stdout: '' });
    expect(stderr).toContain(`code: ${name}`);
  });

  it('answers for names and pages that it was told of, and no others', async () => {
    const { child, url } = await startServer(
      '--allow-host',
      'engine.example',
      '--allow-origin',
      'https://chat.example',
    );
    const { hostname, port } = new URL(url);
    const statusOf = (headers: Record<string, string>): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        request({ hostname, port, path: '/ready', headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    expect(await statusOf({ host: `engine.example:${port}` })).toBe(200);
    expect(await statusOf({ host: `other.example:${port}` })).toBe(403);
    expect(await statusOf({ origin: 'https://chat.example' })).toBe(200);
    expect(await statusOf({ origin: 'https://other.example' })).toBe(403);
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
  });

  it('keeps to --ctx and --queue', async () => {
    const { child, url } = await startServer('--ctx', '40', '--queue', '0');
    const { status } = await post(url, { ...STORY, stream: false, n: 16 });
    expect(status).toBe(200);
    const long = await post(url, { ...STORY, messages: [{ role: 'user', content: 'one two three '.repeat(20) }] });
    expect(await long.json()).toMatchObject({ error: { code: 'context_length_exceeded', n_ctx: 40 } });
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
  });
});
