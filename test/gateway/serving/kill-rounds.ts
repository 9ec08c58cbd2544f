// Lives of a gateway that end by kill -9 under load, and what must be left after each.
import { rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openMeter, stores } from '../../../src/metering/index.js';
import { ask } from '../../relay/raw-upstream.js';
import { makeKey, modelOf, runtimeAt, type TestKey } from './start-gateway.js';
import { completion, openEvents, startRuntime, whole, type Play } from './runtime.js';
import { makeHome } from '../../support/start-product.js';
import { startProductProcess } from '../../support/product-process.js';

/** Requests at once. */
const CLIENTS = 24;
/** Models that requests go round, so that what is missing of one is not made up for by another. */
const MODELS = Array.from({ length: 40 }, (_, i) => `m${i}`);
/** Of every answer. */
const [PROMPT, TOKENS] = [10, 30];

/** What all rounds saw together. */
export interface KillTotals {
  /** Answers that a client saw whole. */
  answers: number;
  settled: number;
  voided: number;
  /** Changes of keys that were acknowledged. */
  changes: number;
}

/** Kills a gateway `rounds` times, each on the data of the one before. Rejects where something that was acknowledged is missing. */
export async function runKillRounds(rounds: number): Promise<KillTotals> {
  const home = makeHome();
  const path = join(home, 'gateway.yaml');
  const key = makeKey('vk_a', { limits: { budget: { tokens: 10 ** 9, window: 'total' } } });
  const totals: KillTotals = { answers: 0, settled: 0, voided: 0, changes: 0 };
  const charged = new Map(MODELS.map((model) => [model, 0]));
  await using runtime = await startRuntime(play);
  try {
    const file = {
      gateway_id: 'gw_test',
      listen: '127.0.0.1:0',
      data_dir: './data',
      runtimes: [runtimeAt(runtime.url, { kind: 'vllm' })],
      models: MODELS.map((id) => modelOf({ id })),
      virtual_keys: [key.entry, makeKey('vk_b').entry],
    };
    writeFileSync(path, JSON.stringify(file));
    for (let round = 0; round < rounds; round++) {
      const told = await live(path, key, 3 + ((round * 37) % 60), charged);
      totals.answers += told.answers;
      totals.changes += told.changes;
      await inspect(join(home, 'data'), totals, charged);
    }
    return totals;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const play: Play = async ({ target, body }, socket) => {
  if (target === '/v1/embeddings') {
    return void socket.write(whole(`{"data":[],"usage":{"prompt_tokens":${PROMPT},"total_tokens":${PROMPT}}}`));
  }
  if (!body.includes('"stream":true')) return void socket.write(whole(completion(PROMPT, TOKENS)));
  const events = openEvents(socket);
  for (let i = 0; i < TOKENS && !socket.destroyed; i++) {
    events.token();
    if (i % 8 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  events.usage(PROMPT, TOKENS);
  events.end();
};

/** One life: it is killed when clients have seen `killAfter` answers. Adds what they cost to `charged`. */
async function live(path: string, key: TestKey, killAfter: number, charged: Map<string, number>) {
  let [answers, changes] = [0, 0];
  const program = join(import.meta.dirname, 'fixtures/gateway-process.js');
  const { child, port, ended } = await startProductProcess(program, [path, 'vk_b'], {
    onMessage: (told) => (changes = (told as { readonly changes?: number }).changes ?? changes),
  });
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  let sent = 0;
  const drink = async (): Promise<void> => {
    for (;;) {
      const number = sent++;
      const model = MODELS[number % MODELS.length] ?? '';
      const isEmbedding = number % 3 === 2;
      const stream = number % 3 === 0;
      // Of as many bytes that its bound is above what the runtime counts.
      const input = 'a'.repeat(4 * PROMPT);
      const body = isEmbedding
        ? { model, input }
        : { model, prompt: input, ...(stream ? { stream } : { max_tokens: TOKENS }) };
      const to = isEmbedding ? '/v1/embeddings' : '/v1/chat/completions';
      const got = await ask(port, 'POST', to, JSON.stringify(body), agent, key.headers).catch(() => undefined);
      if (got === undefined || got.isBroken) return;
      expect([got.status, got.status === 200 ? '' : got.body.toString()]).toEqual([200, '']);
      if (stream && !got.body.toString().endsWith('data: [DONE]\n\n')) return;
      charged.set(model, (charged.get(model) ?? 0) + PROMPT + (isEmbedding ? 0 : TOKENS));
      if (++answers === killAfter) child.kill('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, drink));
  expect(await ended).toBe('SIGKILL');
  agent.destroy();
  return { answers, changes };
}

/** Opens what a killed gateway left: nothing is held, all that was seen is charged, the databases are sound. */
async function inspect(directory: string, totals: KillTotals, charged: Map<string, number>): Promise<void> {
  {
    await using meter = await openMeter({ directory, log: () => {}, retention: { requestDays: 1, auditDays: 1 } });
    totals.settled += meter.recovered.settled;
    totals.voided += meter.recovered.voided;
    const rows = new Map(meter.usage({ by: 'model' }).map(({ name, chargedTokens }) => [name, chargedTokens]));
    expect([...charged].filter(([model, tokens]) => (rows.get(model) ?? 0) < tokens)).toEqual([]);
    // What a reservation was settled with is the truth from here on.
    for (const [model, tokens] of rows) charged.set(model, tokens);
    const check = await meter.audit.verify();
    expect(check.ok).toBe(true);
    expect(check.entries).toBeGreaterThanOrEqual(totals.changes);
  }
  await using again = await openMeter({ directory, log: () => {}, retention: { requestDays: 1, auditDays: 1 } });
  expect(again.recovered).toEqual({ settled: 0, voided: 0 });
  await again[Symbol.asyncDispose]();
  const store = stores.find((kind) => kind.isAvailable());
  for (const name of ['metering.sqlite', 'audit.sqlite']) {
    const database = await store?.open({ path: join(directory, name), durability: 'process' });
    expect(database?.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    database?.close();
  }
}
