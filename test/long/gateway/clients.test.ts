import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEngineBehind, type EngineBehind } from '../../gateway/serving/engine-behind.js';

const run = promisify(execFile);
const OPENAI = 'openai==3.51.0';
const home = mkdtempSync(join(tmpdir(), 'gateway-python-'));
const python = join(home, 'bin/python');
const whyNoPython = await run('python3', ['-m', 'venv', home])
  .then(() => run(python, ['-m', 'pip', 'install', '--quiet', OPENAI], { timeout: 300_000 }))
  .then(
    () => '',
    (error: unknown) => `(skipped: ${OPENAI} cannot be installed: ${String(error).slice(0, 200)})`,
  );
const major = Number.parseInt(process.versions.node, 10);
const whyNoNewest =
  major >= 22 && existsSync('test/newest/node_modules/openai')
    ? ''
    : '(skipped: they need Node 22 and npm ci in test/newest)';

describe('through a gateway', () => {
  let behind: EngineBehind;
  beforeAll(async () => {
    behind = await startEngineBehind('node');
  });
  afterAll(async () => {
    await behind[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });

  it.skipIf(whyNoPython)(
    `the openai package of Python chats, streams, calls tools and fails as it should ${whyNoPython}`,
    async () => {
      const { stdout } = await run(python, ['test/newest/client.py', behind.gateway.url, behind.key.secret]);
      expect(stdout).toMatch(/^openai \d/);
    },
  );

  it.skipIf(whyNoNewest)(`the newest clients of npm do the same ${whyNoNewest}`, async () => {
    const args = ['test/newest/clients.mjs', behind.gateway.url, behind.key.secret];
    const { stdout } = await run(process.execPath, args);
    expect(stdout.trim().split('\n')).toEqual(['openai', 'ai', 'langchain']);
  });
});
