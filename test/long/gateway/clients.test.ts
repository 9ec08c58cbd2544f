import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEngineBehind, type EngineBehind } from '../../gateway/serving/engine-behind.js';
import { python, whyNoPython } from '../../support/python-clients.js';

const run = promisify(execFile);
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
  });

  it.skipIf(whyNoPython)(
    `the openai package of Python chats, streams, calls tools and fails as it should${whyNoPython}`,
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
