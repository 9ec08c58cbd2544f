import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { GenerateRequest } from '../../src/engine/index.js';
import type { TinyModel } from '../support/tiny-model.js';
import { allRunning } from './demo.js';
import {
  createModel,
  outcomeOf,
  outcomesOf,
  POISON,
  requestOf,
  startBrokenThreadGroup,
  type BrokenThreadGroup,
  type BrokenThreadGroupOptions,
} from './broken-thread-group.js';

const [A = 0, B = 0, C = 0] = POISON;

/** For engines of one thread, which start soonest, and of two. */
const models: TinyModel[] = [];
/** The outcome of each sound request of the crowd when no engine dies. */
let expected: (number[] | string)[];
const groups: BrokenThreadGroup[] = [];

async function start({ threads = 1, ...options }: Partial<BrokenThreadGroupOptions>): Promise<BrokenThreadGroup> {
  const threadGroup = await startBrokenThreadGroup(models[threads - 1] as TinyModel, { threads, ...options });
  groups.push(threadGroup);
  return threadGroup;
}

/** A crowd with poison at some places. */
function crowd(size: number, poison: ReadonlyMap<number, number>): GenerateRequest[] {
  return Array.from({ length: size }, (_, index) => requestOf(index, poison.get(index)));
}

/** What a crowd should come to: those at the places are taken out, all others have their tokens. */
function without(size: number, places: Iterable<number>): (number[] | string)[] {
  const guilty = new Set(places);
  return expected.slice(0, size).map((tokens, index) => (guilty.has(index) ? 'request_poisonous' : tokens));
}

beforeAll(async () => {
  for (const threads of [1, 2]) models.push(await createModel(threads));
  await using threadGroup = await startBrokenThreadGroup(models[0] as TinyModel, { threads: 1 });
  expected = await outcomesOf(threadGroup.client, crowd(64, new Map()));
  expect(expected.every((tokens) => tokens.length === 12 && typeof tokens !== 'string')).toBe(true);
});

afterEach(async () => {
  for (const threadGroup of groups.splice(0)) await threadGroup[Symbol.asyncDispose]();
});

describe('a request that an engine dies of', () => {
  it.each([
    [1, 1, 0, 2],
    [2, 1, 1, 4],
    [8, 1, 5, 6],
    [8, 2, 2, 6],
    [64, 1, 40, 9],
  ])('is taken out of a crowd of %i on %i threads, and all others have their tokens', async (...row) => {
    const [size, threads, place, mostDeaths] = row;
    const { client, supervisor, deaths } = await start({ threads, faults: [{ tokenId: A, harm: 'trap' }] });
    const poison = new Map([[place, A]]);
    expect(await outcomesOf(client, crowd(size, poison))).toEqual(without(size, poison.keys()));
    expect(deaths.length).toBeLessThanOrEqual(mostDeaths);
    expect(deaths.length).toBeGreaterThanOrEqual(2);
    expect(supervisor.ready).toBe(true);
    // And the next ones are answered.
    expect(await outcomeOf(client, requestOf(3))).toEqual(expected[3]);
  });

  it.each([
    [2, [0, 1]],
    [8, [0, 7]],
    [64, [1, 30, 62]],
  ])('is taken out with each other one, of %i: at %j', async (size, places) => {
    const { client, supervisor } = await start({ faults: POISON.map((tokenId) => ({ tokenId, harm: 'trap' })) });
    const poison = new Map(places.map((place, index) => [place, POISON[index] ?? 0]));
    expect(await outcomesOf(client, crowd(size, poison))).toEqual(without(size, places));
    expect(supervisor.ready).toBe(true);
  });

  it('is found when its thread ends without a word', async () => {
    const { client } = await start({ faults: [{ tokenId: B, harm: 'exit' }] });
    expect(await outcomesOf(client, crowd(8, new Map([[2, B]])))).toEqual(without(8, [2]));
  });

  it('is found when it only harms while it decodes, so that each engine comes a token further', async () => {
    const { client } = await start({ faults: [{ tokenId: A, harm: 'trap', unlessAfter: B }] });
    const { sampling, promptTokenIds, ...rest } = requestOf(5);
    // Its prompt ends with B, and all that it says is A.
    const saying: GenerateRequest = {
      ...rest,
      promptTokenIds: [...promptTokenIds, B],
      sampling: { ...sampling, logitBias: [[A, 100]] },
    };
    const requests = crowd(8, new Map()).map((sound, index) => (index === 5 ? saying : sound));
    expect(await outcomesOf(client, requests)).toEqual(without(8, [5]));
  });

  it('says what happened: code, deaths, and the cause', async () => {
    const { client } = await start({ faults: [{ tokenId: A, harm: 'trap' }] });
    const failing = client.generate(requestOf(1, A)).next();
    await expect(failing).rejects.toMatchObject({
      code: 'request_poisonous',
      details: { deaths: 2, cause: 'actor_crashed' },
    });
  });

  it('does not end the model however often it is asked again', async () => {
    const { client, supervisor } = await start({ faults: [{ tokenId: A, harm: 'trap' }] });
    const other = (async () => {
      const outcomes: unknown[] = [];
      for (let i = 0; i < 6; i++) outcomes.push(await outcomeOf(client, requestOf(i)));
      return outcomes;
    })();
    for (let i = 0; i < 4; i++) expect(await outcomeOf(client, requestOf(1, A))).toBe('request_poisonous');
    expect(await other).toEqual(expected.slice(0, 6));
    expect(supervisor.ready).toBe(true);
  });

  it('is taken out as an embedding and as a forward, beside a crowd', async () => {
    const { client } = await start({ faults: [{ tokenId: A, harm: 'trap' }] });
    const { promptTokenIds } = requestOf(1, A);
    const [others, embedding, logits] = await Promise.all([
      outcomesOf(client, crowd(6, new Map())),
      client.embed({ promptTokenIds }).catch((error: unknown) => error),
      client.forward(promptTokenIds).catch((error: unknown) => error),
    ]);
    expect(others).toEqual(without(6, []));
    expect(embedding).toMatchObject({ code: 'request_poisonous' });
    expect(logits).toMatchObject({ code: 'request_poisonous' });
  });

  it('leaves no trace on what its engine computes after its death', async () => {
    const { client, supervisor, deaths } = await start({ faults: [{ tokenId: A, harm: 'trap' }] });
    // This thread learns of a death late, as on a busy machine: the dying engine goes on with the others meanwhile.
    const word = new Int32Array(new SharedArrayBuffer(4));
    const learnLate = (): void => void Atomics.wait(word, 0, 0, 30);
    const off = supervisor.onEvent(({ type, id }) => {
      if (type === 'restarted' && id === 'engine') setImmediate(() => setImmediate(learnLate));
    });
    const long = { ...requestOf(0), maxTokens: 450 };
    const sound = (async () => {
      const tokens: number[] = [];
      for await (const { tokenIds } of client.generate(long)) tokens.push(...tokenIds);
      return tokens;
    })();
    const logits = client.forward(requestOf(1, A).promptTokenIds).catch((error: unknown) => error);
    setImmediate(() => setImmediate(learnLate));
    expect(await logits).toMatchObject({ code: 'request_poisonous' });
    expect((await sound).slice(0, 12)).toEqual(expected[0]);
    expect(deaths.length).toBeGreaterThanOrEqual(2);
    off();
  });

  it('that is left while it is searched for leaves the others their tokens', async () => {
    const { client, deaths, supervisor } = await start({ faults: [{ tokenId: A, harm: 'trap' }] });
    const controller = new AbortController();
    const off = supervisor.onEvent(() => deaths.length === 3 && controller.abort(new Error('enough')));
    const others = outcomesOf(client, crowd(8, new Map()));
    const left = client.generate(requestOf(5, A), controller.signal).next();
    await expect(left).rejects.toThrow('enough');
    expect(await others).toEqual(without(8, []));
    off();
  });
});

it('a trial does not wait for one that was aborted and is not read', async () => {
  const { client, supervisor, deaths } = await start({ faults: [{ tokenId: A, harm: 'trap' }] });
  const controller = new AbortController();
  const idle = client.generate({ ...requestOf(2), maxTokens: 400 }, controller.signal);
  await idle.next();
  supervisor.onEvent(({ type, id }) => {
    if (type === 'restarted' && id === 'engine' && deaths.length === 2) controller.abort(new Error('enough'));
  });
  expect(await outcomesOf(client, crowd(8, new Map([[5, A]])))).toEqual(without(8, [5]));
  await expect(idle.next()).rejects.toThrow('enough');
});

describe('deaths that no request had a hand in', () => {
  it('take no request out when a fault goes away by itself', async () => {
    const { client, deaths } = await start({ faults: [{ tokenId: C, harm: 'trap', times: 1 }] });
    const outcomes = await outcomesOf(client, crowd(8, new Map([[4, C]])));
    expect(outcomes.filter((outcome) => typeof outcome === 'string')).toEqual([]);
    expect(deaths).toHaveLength(1);
  });

  describe('a thread that is ended from outside, twice', () => {
    const workers: Worker[] = [];
    const note = (worker: Worker): void => void workers.push(worker);
    beforeAll(() => void process.on('worker', note));
    afterAll(() => void process.off('worker', note));

    it.each([2, 8, 64])('takes no request out of a crowd of %i', async (size) => {
      const { client, supervisor, deaths } = await start({});
      let kills = 2;
      // As soon as an engine has given its first token: its thread is the newest.
      const outcomes = await Promise.all(
        crowd(size, new Map()).map(async (request) => {
          const tokens: number[] = [];
          for await (const { tokenIds } of client.generate({ ...request, maxTokens: 12 })) {
            tokens.push(...tokenIds);
            if (kills > 0 && deaths.length === 2 - kills && supervisor.tree().children.every(isRunning)) {
              kills--;
              void workers.at(-1)?.terminate();
            }
          }
          return tokens;
        }),
      );
      expect(kills).toBe(0);
      expect(deaths).toHaveLength(2);
      expect(outcomes).toEqual(without(size, []));
    });
  });

  it('take no request out when the supervisor is asked for them, as often as it bears', async () => {
    const { client, supervisor, deaths } = await start({});
    const outcomes = outcomesOf(client, crowd(8, new Map()));
    for (let kills = 0; kills < 4; kills++) {
      supervisor.kill('engine');
      await allRunning(supervisor);
    }
    expect(await outcomes).toEqual(without(8, []));
    expect(deaths.map(({ code }) => code)).toEqual(Array(4).fill('actor_killed'));
  });

  it('still end the model past the intensity', async () => {
    // Every token is one: whatever is asked, the engine dies.
    const faults = Array.from({ length: 150 }, (_, tokenId) => ({ tokenId, harm: 'trap' as const }));
    // A busy machine takes longer for as many deaths.
    const restarts = { intensity: 5, periodMs: 600_000 };
    const { client, supervisor } = await start({ faults, restarts });
    const outcomes = await outcomesOf(client, crowd(32, new Map()));
    expect(new Set(outcomes)).toEqual(new Set(['request_poisonous', 'engine_restarted']));
    expect(outcomes.filter((outcome) => outcome === 'request_poisonous').length).toBeLessThan(16);
    expect(supervisor.ready).toBe(false);
  });
});

function isRunning({ state }: { readonly state: string }): boolean {
  return state === 'running';
}
