import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServing, type Serving } from '../../server/serving.js';
import { python, whyNoPython } from '../../support/python-clients.js';

const run = promisify(execFile);
const major = Number.parseInt(process.versions.node, 10);
const whyNoNewest =
  major < 22
    ? ' (skipped: they need Node 22)'
    : existsSync('test/newest/node_modules/openai')
      ? ''
      : ' (skipped: npm ci --ignore-scripts in test/newest installs them)';

describe('the newest clients', () => {
  let serving: Serving;
  beforeAll(async () => {
    serving = await startServing();
  });
  afterAll(() => serving[Symbol.asyncDispose]());

  it.skipIf(whyNoNewest !== '')(`of npm chat, stream, call tools and fail as they should${whyNoNewest}`, async () => {
    const { stdout } = await run(process.execPath, ['test/newest/clients.mjs', serving.url]);
    expect(stdout.trim().split('\n')).toEqual(['openai', 'ai', 'langchain']);
  });

  it.skipIf(whyNoPython !== '').each([
    ['openai', 'chats, streams, calls tools and fails as it should', 'client.py'],
    ['responses', 'speaks the Responses API', 'responses_client.py'],
    ['anthropic', 'speaks the Messages API', 'messages_client.py'],
    ['ollama', 'chats, streams, calls tools, embeds and fails', 'ollama_client.py'],
  ])(`of Python: %s %s${whyNoPython}`, async (name, _, file) => {
    const { stdout } = await run(python, [`test/newest/${file}`, serving.url]);
    expect(stdout).toMatch(new RegExp(`^${name} \\d`));
  });
});
