// docs/hosted-quickstart.md as one script: our engine behind a private gateway behind the hosted API, on one machine.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Catalog } from '../../src/hosted/catalog/catalog-entry.js';
import { eventually } from '../support/eventually.js';
import { runQuickstart, type RunPage } from './run-quickstart.js';

const run = promisify(execFile);
const major = Number.parseInt(process.versions.node, 10);
/** Where they are installed they are the newest, which the long suite runs. */
const whyNot = major < 22 && existsSync('test/newest/node_modules/openai') ? 'those of test/newest need Node 22' : '';

/** What a request took, as its answer or the account tells. */
interface Used {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens: number };
}

interface Generation {
  readonly id: string;
  readonly state: string;
  readonly provider: string;
  readonly cost: string;
  readonly usage: {
    readonly prompt_tokens: number;
    readonly cached_tokens: number;
    readonly completion_tokens: number;
    readonly reasoning_tokens: number;
    readonly is_estimated: boolean;
  };
}

/** Micro-units of a request by the prices of the page: 1.00, 0.10 and 4.00 a million tokens, rounded up once. */
function costMicro(prompt: number, cached: number, completion: number): bigint {
  const nano = BigInt(prompt - cached) * 1_000n + BigInt(cached) * 100n + BigInt(completion) * 4_000n;
  return (nano + 999n) / 1_000n;
}

const toMicro = (amount: string): bigint => {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(6, '0'));
};

describe('the quickstart of the hosted API', () => {
  let page: RunPage;
  const read = (name: string): string => page.read(name);
  const json = (name: string): unknown => JSON.parse(read(name));

  beforeAll(async () => void (page = await runQuickstart()));
  afterAll(() => page[Symbol.asyncDispose](), 60_000);

  it('finds all that it paid for in the books at once', () => {
    // A credit and five requests.
    expect(page.said).toContain('The books are right: 6 groups');
  });

  it('lists both models in the catalog, with their prices', () => {
    const { data } = json('catalog.json') as Catalog;
    expect(
      data.map(({ id, pricing: { prompt, input_cache_read: cached, completion } }) => [id, prompt, cached, completion]),
    ).toEqual([
      ['local/demo', '0.000001', '0.0000001', '0.000004'],
      ['pgw/berlin/demo', '0.000001', '0.0000001', '0.000004'],
    ]);
  });

  it('answers by both paths, streams, calls tools and thinks', () => {
    interface Answer {
      readonly choices: readonly {
        readonly message: {
          readonly content: string | null;
          readonly reasoning_content?: string;
          readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[];
        };
      }[];
      readonly usage: Used;
    }
    const messageOf = (name: string) => (json(name) as Answer).choices[0]?.message;
    expect(messageOf('chat.json')?.content).toContain('Oslo');
    expect(messageOf('provider.json')?.content).toContain('Oslo');
    const [call] = messageOf('tools.json')?.tool_calls ?? [];
    expect(call?.function.name).toBe('get_capital');
    expect(JSON.parse(call?.function.arguments ?? '')).toHaveProperty('country');
    expect(messageOf('thinking.json')?.reasoning_content).toMatch(/\d/);
    const events = read('stream.txt').split('\n\n').filter(Boolean);
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events.slice(0, -1).map(
      (event) =>
        JSON.parse(event.slice('data: '.length)) as {
          choices: { delta: { content?: string } }[];
        },
    );
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toContain('Oslo');
  });

  it('charged each request exactly, thinking as output and cached input by its own price, and the balance is right', async () => {
    const { data } = json('generations.json') as { data: readonly Generation[] };
    // The newest first.
    const names = ['thinking.json', 'tools.json', undefined, 'provider.json', 'chat.json'];
    expect(data.map(({ state, usage }) => [state, usage.is_estimated])).toEqual(names.map(() => ['settled', false]));
    expect(data.map(({ provider }) => provider)).toEqual([
      'pgw/berlin',
      'pgw/berlin',
      'pgw/berlin',
      'local',
      'pgw/berlin',
    ]);
    for (const [i, name] of names.entries()) {
      const { usage, cost } = data[i] ?? { usage: undefined, cost: '' };
      const { prompt_tokens: prompt = 0, cached_tokens: cached = 0, completion_tokens: completion = 0 } = usage ?? {};
      expect(toMicro(cost)).toBe(costMicro(prompt, cached, completion));
      if (name === undefined) continue;
      const told = (json(name) as { usage: Used }).usage;
      expect([prompt, cached, completion]).toEqual([
        told.prompt_tokens,
        told.prompt_tokens_details?.cached_tokens ?? 0,
        told.completion_tokens,
      ]);
    }
    expect(data[0]?.usage.reasoning_tokens).toBeGreaterThan(0);
    const spent = data.reduce((sum, { cost }) => sum + toMicro(cost), 0n);
    const { balance, held } = json('balance.json') as { balance: string; held: string };
    expect([toMicro(balance), toMicro(held)]).toEqual([5_000_000n - spent, 0n]);
    // Sums follow their requests within seconds.
    await eventually(async () => {
      const answer = await fetch(`${page.url}/v1/usage`, { headers: { authorization: `Bearer ${page.secret}` } });
      const { data: sums } = (await answer.json()) as { data: readonly { requests: number; cost: string }[] };
      const numRequests = sums.reduce((sum, { requests }) => sum + requests, 0);
      return [numRequests, sums.reduce((sum, { cost }) => sum + toMicro(cost), 0n)];
    }).toEqual([5, spent]);
  });

  it('has books that are right, and no secret, prompt or answer in a log', () => {
    const groups = read('ledger.ndjson')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string });
    expect(groups.map(({ kind }) => kind)).toEqual(['credit', ...Array.from({ length: 5 }, () => 'usage')]);
    const log = read('hosted.log');
    for (const word of [page.secret, read('gateway.key').trim(), 'Norway', 'Oslo']) expect(log).not.toContain(word);
  });

  it('serves the openai client by both paths: chat, stream, tools, thinking, a model that is none', async () => {
    for (const path of ['pgw/berlin', 'local']) {
      const client = new OpenAI({ baseURL: `${page.url}/${path}/v1`, apiKey: page.secret, maxRetries: 0 });
      const request = {
        model: 'demo',
        temperature: 0,
        messages: [{ role: 'user', content: 'What is the capital of Norway?' }],
      } as const;
      const { data, response } = await client.chat.completions
        .create({ ...request, messages: [...request.messages] })
        .withResponse();
      expect(data.choices[0]?.message.content).toContain('Oslo');
      const id = response.headers.get('x-generation-id') ?? '';
      const settled = await client.get<Generation>(`${page.url}/v1/generations/${id}`);
      expect(settled).toMatchObject({
        id,
        state: 'settled',
        provider: path,
        usage: { completion_tokens: data.usage?.completion_tokens },
      });
      let text = '';
      const stream = await client.chat.completions.create({
        ...request,
        messages: [...request.messages],
        stream: true,
      });
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      expect(text).toContain('Oslo');
      expect((await client.models.list()).data.map((model) => model.id)).toEqual(['demo']);
      const none = client.chat.completions.create({ ...request, messages: [...request.messages], model: 'none' });
      await expect(none).rejects.toMatchObject({ status: 404 });
    }
  });

  it.skipIf(whyNot)(
    `serves openai, the AI SDK and LangChain by both paths ${whyNot}`,
    async () => {
      for (const path of ['pgw/berlin', 'local']) {
        const args = ['test/newest/clients.mjs', `${page.url}/${path}`, page.secret];
        const ended = await run(process.execPath, args).catch((error: { stdout: string; stderr: string }) => error);
        expect(ended).toMatchObject({ stdout: 'openai\nai\nlangchain\n' });
      }
    },
    120_000,
  );
});
