import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killAtMessage } from '../../src/actor/faults.js';
import { randomAt, randomKey } from '../../src/base/index.js';
import { createRandomArtifact, shapes } from '../../src/convert/index.js';
import { converse, openDemo, PATIENT, type Demo } from '../faults/demo.js';
import { runRound, type Death } from '../faults/rounds.js';

const ROUNDS = 500;
const MAX_TOKENS = 12;
const MIB = 1 << 20;
const TEAM = ['compute-1', 'engine', 'tokenizer', 'template'];
/** Who dies at a random token, in turn: one, two that meet at barriers, all. */
const RANDOM_VICTIMS = [['compute-1'], ['engine'], ['engine', 'compute-1'], ['template'], TEAM];

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const unhandled: unknown[] = [];
const noteUnhandled = (reason: unknown): void => void unhandled.push(reason);

beforeAll(() => void process.on('unhandledRejection', noteUnhandled));
afterAll(() => void process.off('unhandledRejection', noteUnhandled));

interface Resources {
  readonly handles: string[];
  readonly threads: number;
  readonly rssMib: number;
}

/** After garbage collection. */
async function resources(): Promise<Resources> {
  for (let i = 0; i < 4; i++) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const handles = process.getActiveResourcesInfo();
  const threads = await readdir('/proc/self/task').then(
    (tasks) => tasks.length,
    () => 0,
  );
  return { handles, threads, rssMib: Math.round(process.memoryUsage.rss() / MIB) };
}

/** Kinds of handles of which `after` has more than `before`. Less is no leak: the test runner's own timers come and go. */
function grown(before: Resources, after: Resources): string[] {
  const count = (all: readonly string[], kind: string): number => all.filter((one) => one === kind).length;
  return [...new Set(after.handles)].filter((kind) => count(after.handles, kind) > count(before.handles, kind));
}

/** How many messages each actor gets in a round in which no actor dies. */
async function countMessages(demo: Demo): Promise<[id: string, messages: number][]> {
  const ids = ['engine', 'template', 'tokenizer'];
  const faults = ids.map((id) => killAtMessage(demo.supervisor, id, Infinity));
  await converse(demo.model, MAX_TOKENS);
  const counts = faults.map(({ messages }, index): [string, number] => [ids[index] as string, messages]);
  for (const fault of faults) fault.clear();
  return counts;
}

function report(values: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ node: process.versions.node, ...values })}\n`);
}

describe('the demo model under fire', () => {
  it(`finishes twenty conversations as ever in ${ROUNDS} rounds, an actor killed in each, and leaves nothing behind`, async () => {
    const before = await resources();
    {
      await using demo = await openDemo({ restarts: PATIENT });
      const expected = await converse(demo.model, MAX_TOKENS);
      const counts = await countMessages(demo);
      const boundaries = counts.flatMap(([id, messages]) =>
        Array.from({ length: 2 * messages }, (_, i): Death => ({
          victims: [id],
          at: 'message',
          n: 1 + (i >> 1),
          when: i % 2 === 0 ? 'before' : 'after',
        })),
      );
      expect(boundaries.length).toBeLessThanOrEqual((ROUNDS * 3) / 4);
      const characters = expected.reduce(
        (sum, { content }) => sum + (typeof content === 'string' ? content.length : 0),
        0,
      );
      const key = randomKey(1);
      const deathOf = (round: number): Death => {
        if (round % 4 !== 3) return boundaries[(round - (round >> 2)) % boundaries.length] as Death;
        const victims = RANDOM_VICTIMS[(round >> 2) % RANDOM_VICTIMS.length] as string[];
        return { victims, at: 'character', n: 1 + Math.floor(randomAt(key, round) * characters) };
      };

      let base: Resources | undefined;
      let fired = 0;
      const backs: number[] = [];
      const begin = performance.now();
      for (let round = 0; round < ROUNDS; round++) {
        // Threads of pools and the compiled code of JavaScript have come by now.
        if (round === 50) base = await resources();
        const death = deathOf(round);
        const result = await runRound(demo, MAX_TOKENS, death);
        expect(result.outcomes, `round ${round}: ${JSON.stringify(death)}`).toEqual(expected);
        if (result.fired) fired++;
        if (result.backMs !== undefined) backs.push(result.backMs);
      }
      const after = await resources();
      backs.sort((a, b) => a - b);
      const [medianBackMs, worstBackMs] = [backs[backs.length >> 1], backs.at(-1)].map((ms) => Math.round(ms ?? 0));
      const roundMs = Math.round((performance.now() - begin) / ROUNDS);
      report({ rounds: ROUNDS, fired, boundaries: boundaries.length, roundMs, engineDeaths: backs.length });
      report({ medianBackMs, worstBackMs, before, base, after });
      expect(fired).toBeGreaterThan(ROUNDS * 0.98);
      expect(worstBackMs).toBeLessThan(1_000);
      // Threads without a waiting caller keep no process alive.
      expect(grown(before, after)).toEqual([]);
      expect(after.threads).toBe(base?.threads);
      expect(after.rssMib - (base?.rssMib ?? 0)).toBeLessThan(100);
      expect(unhandled).toEqual([]);
    }
    const end = await resources();
    report({ end });
    expect(grown(before, end)).toEqual([]);
  });
});

describe('a model of 620 MB', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'troupe-faults-'));
    await createRandomArtifact({ config: shapes['1.1b'], quant: 'q4', out: join(directory, 'model') });
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('is back in three seconds with the same tokens, and gives its memory back', async () => {
    const before = await resources();
    await rounds();
    const after = await resources();
    report({ model: 'shape:1.1b q4', before, after });
    expect(after.rssMib - before.rssMib).toBeLessThan(200);
    expect(grown(before, after)).toEqual([]);
    expect(unhandled).toEqual([]);
  });

  async function rounds(): Promise<void> {
    await using demo = await openDemo({ restarts: PATIENT }, join(directory, 'model'));
    const { model, supervisor } = demo;
    const promptTokenIds = Array.from({ length: 32 }, (_, i) => (i * 37) % 1_500);
    const generate = async (onToken: (count: number) => void): Promise<number[]> => {
      const tokens: number[] = [];
      const request = { promptTokenIds, maxTokens: 24, seed: 7, ignoreStop: true };
      for await (const id of model.generate(request)) onToken(tokens.push(id));
      return tokens;
    };
    const expected = await generate(() => {});
    for (const victims of [['engine'], ['compute-1'], ['engine', 'compute-1']]) {
      let diedMs = 0;
      let backMs = 0;
      let isBack = false;
      const off = supervisor.onEvent(({ type, id }) => {
        isBack ||= type === 'restarted' && id === 'engine';
      });
      const tokens = await generate((count) => {
        if (isBack) backMs ||= performance.now() - diedMs;
        if (count < 8 || diedMs > 0) return;
        diedMs = performance.now();
        for (const id of victims) supervisor.kill(id);
      });
      off();
      report({ model: 'shape:1.1b q4', victims, backMs: Math.round(backMs) });
      expect(tokens).toEqual(expected);
      expect(backMs).toBeGreaterThan(0);
      expect(backMs).toBeLessThan(3_000);
    }
    report({ model: 'shape:1.1b q4', loaded: await resources() });
  }
});
