import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { overTransports } from '../../http/over-transports.js';
import { startEngineBehind, type EngineBehind } from './engine-behind.js';
import { SOON } from '../../support/start-product.js';

const run = promisify(execFile);
const major = Number.parseInt(process.versions.node, 10);
/** Where they are installed they are the newest, which the long suite runs. */
const whyNot = major < 22 && existsSync('test/newest/node_modules/openai') ? 'those of test/newest need Node 22' : '';
const OSLO: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'What is the capital of Norway?' }];

overTransports('through a gateway', (transport) => {
  let behind: EngineBehind;
  let client: OpenAI;
  beforeAll(async () => {
    behind = await startEngineBehind(transport);
    client = new OpenAI({ baseURL: `${behind.gateway.url}/v1`, apiKey: behind.key.secret, maxRetries: 0 });
  });
  afterAll(() => behind[Symbol.asyncDispose]());

  it.skipIf(whyNot)(
    `openai, the AI SDK and LangChain chat, stream, call tools and fail as they should ${whyNot}`,
    async () => {
      const args = ['test/newest/clients.mjs', behind.gateway.url, behind.key.secret];
      const { stdout } = await run(process.execPath, args);
      expect(stdout.trim().split('\n')).toEqual(['openai', 'ai', 'langchain']);
      const { meter } = behind.gateway;
      await expect
        .poll(() => meter.usageOf('vk_a'), SOON)
        .toMatchObject({ runningRequests: 0, budgets: [{ held: 0n }] });
      // Streams without usage too: the gateway asks the engine, which tells, but where the client left.
      const [usage] = meter.usage({ by: 'key' });
      expect(usage).toMatchObject({ unchargedTokens: 0 });
      expect(usage?.estimatedRequests).toBeLessThanOrEqual(1);
      expect(usage?.completionTokens).toBeGreaterThan(60);
    },
  );

  it('a stream has the usage that its client asked for, and none that it did not', async () => {
    const request = { model: 'demo', messages: OSLO, temperature: 0, stream: true } as const;
    for (const asks of [true, false]) {
      const options = asks ? { stream_options: { include_usage: true } } : {};
      const told: number[] = [];
      for await (const { usage } of await client.chat.completions.create({ ...request, ...options })) {
        if (usage) told.push(usage.completion_tokens);
      }
      expect(told).toEqual(asks ? [8] : []);
    }
  });

  it('an abort stops the engine, and what was produced is charged', async () => {
    const { gateway, serving, key } = behind;
    const before = gateway.lines.length;
    const stream = await client.chat.completions.create({ model: 'demo', messages: OSLO, stream: true, n: 8 });
    for await (const { choices } of stream) {
      if (choices[0]?.delta.content) stream.controller.abort();
    }
    const [model] = serving.host.openModels();
    await expect.poll(async () => model?.client.stats(), SOON).toMatchObject({ running: 0, waiting: 0 });
    await expect.poll(() => gateway.lines.length, SOON).toBeGreaterThan(before);
    const [row] = gateway.meter.requests({ limit: 1, keyId: String(key.entry['id']) });
    expect(row).toMatchObject({ status: 499, isAborted: true, isEstimated: true });
    expect(row?.completionTokens).toBeGreaterThan(0);
  });

  it('a key that is none is an AuthenticationError', async () => {
    const wrong = new OpenAI({ baseURL: `${behind.gateway.url}/v1`, apiKey: 'gwk_none', maxRetries: 0 });
    const failed = wrong.chat.completions.create({ model: 'demo', messages: OSLO });
    await expect(failed).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(failed).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
  });
});
