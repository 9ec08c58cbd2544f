// node [--expose-gc] [--max-semi-space-size=1] dist/bench/engine/crowd.js [requests]: thousands of requests at once on the demo
// model, many of them cancelled at a random time. JSON lines: memory on the way, blocks at the end, and how long each of 32
// equal callers waited. With the first flag the heap is what is kept; with the second V8's young generation, which grows by
// how fast objects are made (60 MiB on Node 24), does not hide what the rest takes.

import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { randomAt, randomKey } from '../../src/base/index.js';
import type { EngineClient } from '../../src/engine/index.js';
import { startEngine } from './model-tree.js';

const REQUESTS = Number(process.argv[2] ?? 10_000);
const CALLERS = 32;
const SLOTS = 8;
const REPORTS = 10;
const demo = fileURLToPath(new URL('../../demo/', import.meta.url));
const threads = availableParallelism();
const key = randomKey(7);

const engine = await startEngine(demo, { threads, maxSequences: SLOTS });
const waits = Array.from({ length: CALLERS }, (): number[] => []);
let [submitted, cancelled, tokens] = [0, 0, 0];

/** One caller asks again as soon as its last request has ended, as all callers do. */
async function call(client: EngineClient, caller: number): Promise<void> {
  for (let number = submitted++; number < REQUESTS; number = submitted++) {
    const random = (place: number): number => randomAt(key, number * 8 + place);
    const stop = new AbortController();
    // A third is cancelled: before its first token, in the middle, or after its end.
    const isCancelled = random(0) < 1 / 3;
    const timer = isCancelled ? setTimeout(() => stop.abort(), random(1) * 60) : undefined;
    const start = performance.now();
    let isFirst = true;
    const prompt = Array.from({ length: 4 + Math.floor(random(2) * 60) }, (_, i) => (i * 7 + number) % 1500);
    try {
      const request = {
        promptTokenIds: prompt,
        maxTokens: 1 + Math.floor(random(3) * 40),
        sampling: { temperature: 1, seed: number },
        stopTokenIds: [],
        ignoreStop: true,
        caller: String(caller),
      };
      for await (const { tokenIds } of client.generate(request, stop.signal)) {
        if (isFirst) waits[caller]?.push(performance.now() - start);
        isFirst = false;
        tokens += tokenIds.length;
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      cancelled++;
    }
    clearTimeout(timer);
    if (number % Math.ceil(REQUESTS / REPORTS) === 0) {
      globalThis.gc?.();
      const { rss, heapUsed } = process.memoryUsage();
      print({ bench: 'crowd', request: number, rssMiB: toMiB(rss), heapMiB: toMiB(heapUsed) });
    }
  }
}

function toMiB(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function print(line: Record<string, unknown>): void {
  console.log(JSON.stringify({ ...line, threads, node: process.version }));
}

const startMs = performance.now();
await Promise.all(waits.map((_, caller) => call(engine.client, caller)));
const seconds = (performance.now() - startMs) / 1000;
const { blocks, freeBlocks, running, waiting } = await engine.client.stats();
const means = waits.map(mean).toSorted((a, b) => a - b);
const [median = Number.NaN, longest = Number.NaN] = [means[CALLERS >> 1], means.at(-1)];
print({ bench: 'crowd', requests: REQUESTS, cancelled, tokens, seconds, blocks, freeBlocks, running, waiting });
print({ bench: 'crowd: wait by caller', medianMs: median, longestMs: longest, ratio: longest / median });
await engine[Symbol.asyncDispose]();
