// From the hub to an answer, as a user has it: a pull that is killed twice, then the commands around the model.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startHub, type TestHub } from '../support/hub/test-hub.js';
import { demoRepository } from '../pull/support.js';
import { createTemporaryDirectory, ended, entryOf, runCli, startCli } from './processes.js';

let hub: TestHub;
let home: ReturnType<typeof createTemporaryDirectory>;
let env: Record<string, string>;
beforeAll(async () => {
  hub = await startHub([demoRepository('org/demo-chat')]);
  home = createTemporaryDirectory();
  env = { HF_ENDPOINT: hub.url, TROUPE_MODELS: join(home.path, 'models') };
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  home.remove();
});
const cli = (...args: string[]): ReturnType<typeof runCli> => runCli(args, home.path, '', { env });
const sent = (): number => hub.sentBytes.get('model.safetensors') ?? 0;

it('a pull is killed twice, and what is made of it is listed, run, served, signed and removed', async () => {
  hub.plan = ({ path }) => (path === 'model.safetensors' ? { drip: { bytes: 64_000, everyMs: 10 } } : undefined);
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    const before = sent();
    const child = startCli(['pull', 'org/demo-chat'], home.path, { env });
    await eventually(sent).toBeGreaterThan(before + 1_200_000);
    child.kill(signal);
    await ended(child);
    expect((await cli('list', '-q')).stdout).toBe('demo\n');
  }
  hub.plan = () => undefined;
  const before = sent();
  const pulled = await cli('pull', 'org/demo-chat');
  expect(pulled).toMatchObject({ code: 0, stdout: expect.stringContaining('org/demo-chat is here') });
  // The file is one part, which may be fetched twice; what a kill leaves of one depends on its moment (test/hub/faults.test.ts).
  expect(sent() - before).toBeLessThanOrEqual(5_322_016);
  expect(readdirSync(env['TROUPE_MODELS'] ?? '')).toEqual(['org_demo-chat']);

  const listed = JSON.parse((await cli('list', '--json')).stdout) as { name: string; repo: string | null }[];
  expect(listed).toContainEqual(
    expect.objectContaining({ name: 'org_demo-chat', repo: 'org/demo-chat', signed: false }),
  );
  expect((await cli('show', 'org/demo-chat')).stdout).toContain('apache-2.0');
  expect((await cli('run', 'org/demo-chat', '--temperature', '0', 'What is 12 + 30?')).stdout).toBe('42\n');
}, 120_000);

it('serve answers a client that names the repository', async () => {
  const child = startCli(['serve', '--http', '--port', '0'], home.path, { env });
  const [line] = (await once(createInterface(child.stdout ?? expect.fail('a pipe')), 'line')) as [string];
  const client = new OpenAI({ baseURL: `${line.replace('listening on ', '')}/v1`, apiKey: 'any' });
  const messages = [{ role: 'user' as const, content: 'What is 12 + 30?' }];
  const answer = await client.chat.completions.create({ model: 'org/demo-chat', messages, temperature: 0 });
  expect(answer.choices[0]?.message.content).toBe('42');
  child.kill('SIGTERM');
  await ended(child);
}, 120_000);

it('signed it runs where only signed models may, and removed it is gone', async () => {
  const place = join(env['TROUPE_MODELS'] ?? '', 'org_demo-chat');
  const sign = (...args: string[]): ReturnType<typeof runCli> =>
    runCli(args, home.path, '', { env, entry: entryOf('sign-artifact'), cwd: home.path });
  expect((await sign('keygen', 'maker')).code).toBe(0);
  const key = readFileSync(join(home.path, 'maker.pub'), 'utf8').trim();
  const asked = [
    'run',
    'org/demo-chat',
    '--require-signed',
    '--trusted-key',
    key,
    '--temperature',
    '0',
    'What is 12 + 30?',
  ];
  expect((await cli(...asked)).code).toBe(3);
  expect((await sign('sign', join(home.path, 'maker.key'), place)).code).toBe(0);
  expect(await cli(...asked)).toMatchObject({ code: 0, stdout: '42\n' });
  expect((await cli('rm', 'org/demo-chat')).code).toBe(0);
  expect(existsSync(place)).toBe(false);
}, 120_000);
