// A program that loads a model of the hub.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createEngine, type Engine } from '../../src/embedding/index.js';
import { demoRepository } from '../models/pull/support.js';
import { startHub, type TestHub } from '../support/hub/test-hub.js';

let hub: TestHub;
let modelsDir: string;
beforeEach(async () => {
  hub = await startHub([demoRepository('org/demo-chat')]);
  modelsDir = mkdtempSync(join(tmpdir(), 'engine-pull-'));
  vi.stubEnv('HF_ENDPOINT', hub.url);
  vi.stubEnv('HF_HUB_OFFLINE', '');
  vi.stubEnv('HF_HUB_DISABLE_IMPLICIT_TOKEN', '1');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await hub[Symbol.asyncDispose]();
  rmSync(modelsDir, { recursive: true, force: true });
});

const open = (options: object = {}): Promise<Engine> => createEngine({ threads: 1, modelsDir, ...options });

it('load pulls a repository, reports its progress, and sends no request the next time', async () => {
  await using engine = await open();
  const phases = new Set<string>();
  const model = await engine.load('org/demo-chat', { onProgress: ({ phase }) => phases.add(phase) });
  expect(model.id).toBe('org/demo-chat');
  expect([...phases].slice(0, 1)).toEqual(['download']);
  expect([...phases].at(-1)).toBe('load');
  const before = hub.seen.length;
  await engine.load('org/demo-chat');
  expect(hub.seen.length).toBe(before);
  expect((await engine.available()).map(({ name }) => name)).toContain('org_demo-chat');
});

it('a load that is ended ends its pull, which goes on with the next', async () => {
  await using engine = await open();
  hub.plan = ({ path }) => (path === 'model.safetensors' ? { drip: { bytes: 100_000, everyMs: 5 } } : undefined);
  const stopping = new AbortController();
  const onProgress = ({ phase, doneBytes }: { phase: string; doneBytes: number }): void => {
    if (phase === 'download' && doneBytes > 1_500_000) stopping.abort(new Error('enough'));
  };
  await expect(engine.load('org/demo-chat', { signal: stopping.signal, onProgress })).rejects.toThrow('enough');
  hub.plan = () => undefined;
  hub.sentBytes.clear();
  await engine.load('org/demo-chat');
  expect(hub.sentBytes.get('model.safetensors')).toBeLessThan(5_000_000);
});

it('with pull: false no request is sent, and the error says so', async () => {
  await using engine = await open({ pull: false });
  await expect(engine.load('org/demo-chat')).rejects.toMatchObject({
    code: 'artifact_not_found',
    message: expect.stringContaining('turned off'),
  });
  expect(hub.seen).toEqual([]);
});

it('offline no request is sent, and the error says so', async () => {
  vi.stubEnv('HF_HUB_OFFLINE', '1');
  await using engine = await open();
  await expect(engine.load('org/demo-chat')).rejects.toMatchObject({
    code: 'artifact_not_found',
    message: expect.stringContaining('HF_HUB_OFFLINE'),
  });
  expect(hub.seen).toEqual([]);
});

it('what is neither here nor at the hub is said to be neither', async () => {
  await using engine = await open();
  await expect(engine.load('org/none')).rejects.toMatchObject({
    code: 'hub_repository_missing',
    message: expect.stringMatching(
      /no file and no directory is at this path; and .* has no model repository org\/none/,
    ),
  });
  await expect(engine.load('./org/none')).rejects.toMatchObject({ code: 'artifact_not_found' });
});
