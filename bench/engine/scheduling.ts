// node dist/bench/engine/scheduling.js <1.1b artifact>: what many conversations at once cost one another, JSON lines.
// Make the artifact with `native-engine bench shape:1.1b --quant q4`, which keeps it in the cache directory.

import { availableParallelism } from 'node:os';
import { present } from '../../src/base/index.js';
import type { EngineClient, GenerateRequest } from '../../src/engine/index.js';
import { quantile } from '../record/statistics.js';
import { startEngine } from './model-tree.js';

const STREAMS = 8;
const LONG_PROMPT = 3000;
/** Steps of the streams alone: long enough before that they are timed and their chunk is known, and after as a control. */
const STEPS_ALONE = { before: 40, after: 120 } as const;
const VOCAB = 32_000;
const threads = availableParallelism();
const directory = present(process.argv[2], 'the first argument is an artifact of shape:1.1b');

function request(seed: number, promptTokens: number, maxTokens: number, shared = 0): GenerateRequest {
  const promptTokenIds = Array.from(
    { length: promptTokens },
    (_, i) => (i < shared ? i * 7 : i * 7 + seed * 131) % VOCAB,
  );
  const sampling = { temperature: 0, topP: 1, topK: 0, minP: 0, seed };
  return { promptTokenIds, maxTokens, sampling, stopTokenIds: [], ignoreStop: true };
}

/** Milliseconds from submission to the first token. */
async function timeToFirst(client: EngineClient, one: GenerateRequest): Promise<number> {
  const start = performance.now();
  for await (const _ of client.generate(one)) return performance.now() - start;
  return Number.NaN;
}

/**
 * Gaps between tokens of eight streams, before a long prompt comes, while it is computed beside them, and after it. The
 * streams alone are the control: where their medians before and after differ, the machine's pace has changed meanwhile; and
 * what 99 % of their gaps are within, each over its median, no prompt can be blamed for.
 */
async function gaps(adaptChunks: boolean): Promise<void> {
  await using engine = await startEngine(directory, { threads, adaptChunks, speculation: false });
  const { client } = engine;
  const before: number[] = [];
  const beside: number[] = [];
  const after: number[] = [];
  let kept = before;
  const stop = new AbortController();
  const streams = Array.from({ length: STREAMS }, async (_stream, seed) => {
    let last: number | undefined;
    for await (const _ of client.generate(request(seed, 8, 3000), stop.signal)) {
      const now = performance.now();
      if (last !== undefined) kept.push(now - last);
      last = now;
    }
  });
  const ended = Promise.allSettled(streams);
  await waitUntil(() => before.length >= STREAMS * STEPS_ALONE.before);
  kept = beside;
  const firstMs = await timeToFirst(client, request(99, LONG_PROMPT, 1));
  kept = after;
  await waitUntil(() => after.length >= STREAMS * STEPS_ALONE.after);
  stop.abort();
  await ended;
  const median = quantile(before, 0.5);
  const medianAfter = quantile(after, 0.5);
  const alone = [...before.map((ms) => ms / median), ...after.map((ms) => ms / medianAfter)];
  print({
    bench: 'gaps of 8 streams beside a prompt of 3,000 tokens',
    adaptChunks,
    medianBeforeMs: median,
    medianAfterMs: medianAfter,
    p99BesideMs: quantile(beside, 0.99),
    longestMs: quantile(beside, 1),
    p99OverMedian: quantile(beside, 0.99) / median,
    p99AloneOverMedian: quantile(alone, 0.99),
    promptMs: firstMs,
    gaps: beside.length,
  });
}

/** Time to first token of requests that share 1,000 tokens of prompt. */
async function sharedPrompts(): Promise<void> {
  await using engine = await startEngine(directory, { threads });
  const times: number[] = [];
  for (let i = 0; i < 64; i++) times.push(await timeToFirst(engine.client, request(i, 1008, 4, 1000)));
  const [first = Number.NaN, ...later] = times;
  print({
    bench: '64 prompts that share 1,000 tokens',
    firstMs: first,
    laterMs: quantile(later, 0.5),
    worstLaterMs: quantile(later, 1),
    laterOverFirst: quantile(later, 0.5) / first,
    worstOverFirst: quantile(later, 1) / first,
  });
}

async function waitUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
}

function print(line: Record<string, unknown>): void {
  console.log(JSON.stringify({ ...line, threads, node: process.version }));
}

await sharedPrompts();
await gaps(true);
await gaps(false);
