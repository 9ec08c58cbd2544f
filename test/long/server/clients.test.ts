import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServing, type Serving } from '../../server/serving.js';

const run = promisify(execFile);
const major = Number.parseInt(process.versions.node, 10);
const whyNoNewest =
  major < 22
    ? 'they need Node 22'
    : existsSync('test/newest/node_modules/openai')
      ? undefined
      : 'npm ci --ignore-scripts in test/newest installs them';
const whyNoPython = await whyWithout('openai');
const whyNoAnthropic = await whyWithout('anthropic');

describe('the newest clients', () => {
  let serving: Serving;
  beforeAll(async () => {
    serving = await startServing();
  });
  afterAll(() => serving[Symbol.asyncDispose]());

  it.skipIf(whyNoNewest)(`of npm chat, stream, call tools and fail as they should${why(whyNoNewest)}`, async () => {
    const { stdout } = await run(process.execPath, ['test/newest/clients.mjs', serving.url]);
    expect(stdout.trim().split('\n')).toEqual(['openai', 'ai', 'langchain']);
  });

  it.skipIf(whyNoPython)(`of Python does the same${why(whyNoPython)}`, async () => {
    const { stdout } = await run('python3', ['test/newest/client.py', serving.url]);
    expect(stdout).toMatch(/^openai \d/);
  });

  it.skipIf(whyNoPython)(`of Python speak the Responses API${why(whyNoPython)}`, async () => {
    const { stdout } = await run('python3', ['test/newest/responses_client.py', serving.url]);
    expect(stdout).toMatch(/^responses \d/);
  });

  it.skipIf(whyNoAnthropic)(`of Python speak the Messages API${why(whyNoAnthropic)}`, async () => {
    const { stdout } = await run('python3', ['test/newest/messages_client.py', serving.url]);
    expect(stdout).toMatch(/^anthropic \d/);
  });
});

/** Why a package of Python cannot be run. */
async function whyWithout(name: string): Promise<string | undefined> {
  return run('python3', ['-c', `import ${name}`]).then(
    () => undefined,
    () => `python3 has no package ${name}`,
  );
}

function why(reason: string | undefined): string {
  return reason === undefined ? '' : ` (skipped: ${reason})`;
}
