import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSupervisor, type Supervisor } from '../../src/actor/index.js';
import { EngineClient, engineKey, engineTree, type GenerateRequest } from '../../src/engine/index.js';
import { InFlightRequest } from '../../src/engine/client/in-flight-request.js';
import type { Sampling } from '../../src/engine/sampling/sampling.js';
import { createTinyModel, toDeviceMemory, type TinyModel } from '../support/tiny-model.js';

// Wide enough that a step of a few rows is shared by the thread group.
const CONFIG = { hidden_size: 512, intermediate_size: 1536, max_position_embeddings: 512 };
// So many tokens that sampling, which the thread group shares, takes longer than the rest of a step.
const LARGE = { vocab_size: 40_000 };
const PROMPT = Array.from({ length: 40 }, (_, i) => (i * 13) % 197);

interface Running {
  readonly supervisor: Supervisor;
  readonly client: EngineClient;
}

/** Tokens of an answer: more than those at which an engine is ended. */
const TOKENS = 100;
const running: Running[] = [];
/** The first model of each configuration, whose weights the next ones have. */
const firsts = new Map<Record<string, unknown>, TinyModel>();

afterEach(async () => {
  for (const { supervisor } of running.splice(0)) await supervisor.stop();
});

afterAll(() => firsts.clear());

async function start(
  threads: number,
  placement: 'inline' | 'thread',
  config: Record<string, unknown> = CONFIG,
): Promise<Running> {
  const capacity = { threads, maxRows: 128, maxSequences: 64 };
  const tiny = await createTinyModel({ config, capacity, weightsOf: firsts.get(config) });
  if (!firsts.has(config)) firsts.set(config, tiny);
  const { contextLength } = tiny.config;
  const client = new EngineClient({ contextLength, vocabSize: tiny.config.vocabSize });
  const memory = { ...tiny, device: toDeviceMemory(tiny, threads), contextLength };
  const spec = engineTree({ memory, placement, client });
  const supervisor = await createSupervisor(spec);
  const attach = (): void => client.attach(supervisor.ref(engineKey));
  attach();
  supervisor.onEvent(({ type, id }) => {
    if (type === 'restarted' && id === engineKey.id) attach();
  });
  running.push({ supervisor, client });
  return { supervisor, client };
}

function request(seed: number, rules: Omit<Sampling, 'seed'> = { temperature: 1, topP: 0.95 }): GenerateRequest {
  const sampling = { ...rules, seed };
  return { promptTokenIds: PROMPT.slice(seed), maxTokens: TOKENS, sampling, stopTokenIds: [], ignoreStop: true };
}

/** Tokens of one sequence; `onToken` is called with the count so far. */
async function collect(
  client: EngineClient,
  seed: number,
  onToken: (count: number) => void = () => {},
  rules?: Omit<Sampling, 'seed'>,
): Promise<number[]> {
  const tokens: number[] = [];
  for await (const { tokenIds } of client.generate(request(seed, rules))) {
    tokens.push(...tokenIds);
    onToken(tokens.length);
  }
  return tokens;
}

describe('an engine that dies', () => {
  const seeds = [0, 1, 2, 3, 4, 5];
  let expected: number[][];
  beforeAll(async () => {
    const { client } = await start(1, 'inline');
    expected = await Promise.all(seeds.map((seed) => collect(client, seed)));
  });

  it.each([
    { threads: 1, placement: 'inline', victim: 'engine' },
    { threads: 1, placement: 'thread', victim: 'engine' },
    { threads: 2, placement: 'thread', victim: 'engine' },
    { threads: 2, placement: 'thread', victim: 'compute-1' },
  ] as const)(
    'goes on with the same tokens: $victim of $threads, $placement',
    async ({ threads, placement, victim }) => {
      const { supervisor, client } = await start(threads, placement);
      const kills = new Set([1, 60]);
      const disturbed = await Promise.all(
        seeds.map((seed) =>
          collect(client, seed, (count) => {
            const due = [...kills].find((at) => count >= at);
            if (due === undefined || !supervisor.tree().children.every(({ state }) => state === 'running')) return;
            kills.delete(due);
            supervisor.kill(victim);
          }),
        ),
      );
      expect(kills.size).toBe(0);
      expect(disturbed).toEqual(expected);
      expect(supervisor.ready).toBe(true);
    },
  );

  it('goes on with the same tokens: a thread that dies while it samples', async () => {
    const sampling = { temperature: 1, typicalP: 0.9, topP: 0.95 };
    const few = seeds.slice(0, 3);
    const undisturbed = await start(1, 'inline', LARGE);
    const alone = await Promise.all(few.map((seed) => collect(undisturbed.client, seed, () => {}, sampling)));
    const { supervisor, client } = await start(2, 'thread', LARGE);
    const kills = new Set([1, 30, 60, 90]);
    const disturbed = await Promise.all(
      few.map((seed) =>
        collect(
          client,
          seed,
          (count) => {
            const due = [...kills].find((at) => count >= at);
            if (due === undefined || !supervisor.tree().children.every(({ state }) => state === 'running')) return;
            kills.delete(due);
            supervisor.kill('compute-1');
          },
          sampling,
        ),
      ),
    );
    expect(kills.size).toBe(0);
    expect(disturbed).toEqual(alone);
  });

  it('gives the same tokens on one thread, on two, and inline', async () => {
    const runs = await Promise.all([start(1, 'inline'), start(1, 'thread'), start(2, 'thread')]);
    const tokens = await Promise.all(runs.map(({ client }) => collect(client, 3)));
    for (const other of tokens) expect(other).toEqual(tokens[0]);
  });
});

it('has no token more when an engine dies after it, and before its caller has read it to its end', async () => {
  const { supervisor, client } = await start(1, 'thread');
  const output = client.generate(request(1));
  const tokens = [...((await output.next()).value?.tokenIds ?? [])];
  while ((await client.stats()).running > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const engine = () => supervisor.tree().children.find(({ id }) => id === engineKey.id);
  const restarts = (engine()?.restarts ?? 0) + 1;
  supervisor.kill(engineKey.id);
  await expect.poll(engine).toMatchObject({ state: 'running', restarts });
  expect(await client.stats()).toMatchObject({ running: 0, waiting: 0 });
  for await (const { tokenIds } of output) tokens.push(...tokenIds);
  expect(tokens).toHaveLength(TOKENS);
});

it('gives the next engine what is left of a deadline', () => {
  const flight = new InFlightRequest(1, { ...request(1), deadlineMs: 100 }, 1_000);
  expect(flight.give(1_090, Infinity)).toMatchObject({ deadlineMs: 10 });
});

it('tells the end of a trial from the end of the request', () => {
  const whole = { ...request(1), maxTokens: 5 };
  const length = PROMPT.length - 1;
  const output = { sequenceId: 1, logprobs: undefined, cachedTokens: undefined, embedding: undefined };
  const flight = new InFlightRequest(1, whole, 0);
  expect(flight.give(0, length + 2).maxTokens).toBe(2);
  expect(flight.receive({ ...output, tokenId: 7, end: undefined })).toBe(false);
  expect(flight.receive({ ...output, tokenId: 8, end: 'length' })).toBe(true);
  expect([flight.isGiven, flight.isOver]).toEqual([false, false]);
  // The rest of it is no trial, nor is one as long as the request.
  expect(flight.give(0, length + 5).maxTokens).toBe(5);
  expect(flight.receive({ ...output, tokenId: 9, end: 'length' })).toBe(false);
  expect(flight.isOver).toBe(true);
});

describe.each(['inline', 'thread'] as const)('the engine’s client, placement %s', (placement) => {
  it('ends its callers with the reason when it is closed', async () => {
    const { client } = await start(1, placement);
    const pending = collect(client, 1);
    client.close(Object.assign(new Error('over'), { code: 'engine_closed' }) as never);
    await expect(pending).rejects.toThrow('over');
  });

  it('stops at an abort, also while its caller does not read', async () => {
    const { client } = await start(1, placement);
    const controller = new AbortController();
    const output = client.generate({ ...request(1), maxTokens: 400 }, controller.signal);
    await output.next();
    controller.abort(new Error('enough'));
    expect(await client.stats()).toMatchObject({ running: 0, waiting: 0 });
    await expect(output.next()).rejects.toThrow('enough');
  });

  it('rejects with the reason of an abort, and goes on with others', async () => {
    const { client } = await start(1, placement);
    const controller = new AbortController();
    const reason = new Error('enough');
    const other = collect(client, 2);
    const aborted = (async () => {
      for await (const { tokenIds } of client.generate(request(1), controller.signal)) {
        if (tokenIds.length > 0) controller.abort(reason);
      }
    })();
    await expect(aborted).rejects.toBe(reason);
    expect(await other).toHaveLength(TOKENS);
    expect(await client.stats()).toMatchObject({ running: 0, waiting: 0 });
  });
});
