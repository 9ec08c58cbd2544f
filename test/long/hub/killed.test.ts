// A pull that is killed twenty times, at any moment: what is left is never listed, and what is made at last is right.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeShapeFile } from '../../../bench/gguf/shape-file.js';
import { convertCheckpoint, shapes } from '../../../src/convert/index.js';
import { runCli, startCli } from '../../e2e/processes.js';
import { eventually } from '../../support/eventually.js';
import { contentOf } from '../../support/hub/repository.js';
import { startHub, type TestHub } from '../../support/hub/test-hub.js';

const KILLS = 20;
let root: string;
let hub: TestHub;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'hub-killed-'));
  await writeShapeFile(join(root, 'twin.gguf'), { ...shapes['0.5b'], num_hidden_layers: 4 }, 'Q4_0');
  const content = contentOf(readFileSync(join(root, 'twin.gguf')));
  hub = await startHub([{ id: 'org/large', files: new Map([['large.Q4_0.gguf', content]]) }]);
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

function hashesOf(directory: string): Record<string, string> {
  const names = readdirSync(directory).filter((name) => name !== 'manifest.json');
  const hashOf = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(directory, name)))
      .digest('hex');
  return Object.fromEntries(names.map((name) => [name, hashOf(name)]));
}

it('is right after twenty kill -9, with at most a part fetched in vain each time', async () => {
  const sizeBytes = hub.repositories.get('org/large')?.files.get('large.Q4_0.gguf')?.sizeBytes ?? 0;
  const models = join(root, 'models');
  const env = { HF_ENDPOINT: hub.url, TROUPE_MODELS: models, HF_HUB_OFFLINE: '' };
  const sent = (): number => hub.sentBytes.get('large.Q4_0.gguf') ?? 0;
  const step = Math.floor(sizeBytes / (KILLS + 2));
  for (let kill = 0; kill < KILLS; kill++) {
    const before = sent();
    // Slowly, so that each process is killed while it downloads.
    hub.plan = () => ({ drip: { bytes: 128 * 1024, everyMs: 4 } });
    const child = startCli(['pull', 'org/large'], root, { env });
    await eventually(sent).toBeGreaterThan(before + step);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await runCli(['list', '-q'], root, '', { env })).stdout).toBe('demo\n');
  }
  hub.plan = () => undefined;
  const ended = await runCli(['pull', 'org/large'], root, '', { env });
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('is here') });
  // Four connections lose at most a quarter of a part of 16 MiB together, and what the hub had handed to the system.
  expect(sent() - sizeBytes).toBeLessThan(KILLS * 16 * 1024 * 1024);
  const twin = join(root, 'twin');
  await convertCheckpoint({ source: join(root, 'twin.gguf'), out: twin });
  expect(hashesOf(join(models, 'org_large'))).toEqual(hashesOf(twin));
  expect(readdirSync(models)).toEqual(['org_large']);
});
