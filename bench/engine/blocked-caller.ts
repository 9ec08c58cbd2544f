// node dist/bench/engine/blocked-caller.js: whether work on the caller's thread slows the engine, JSON lines. The caller
// is blocked for 200 ms after its first token, asleep or computing, and then reads what is there.

import { availableParallelism } from 'node:os';
import { createEngine, type Model } from '../../src/index.js';
import { median } from '../record/statistics.js';

const BLOCK_MS = 200;
const ROUNDS = 7;
/** What arrives so soon after the block was made in it. */
const BURST_MS = 10;

const blocks: Record<string, (ms: number) => void> = {
  asleep: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  computing(ms) {
    const end = performance.now() + ms;
    while (performance.now() < end);
  },
};

/** Tokens made in the block. */
async function tokensIn(model: Model, block: (ms: number) => void): Promise<number> {
  const request = { promptTokenIds: [5, 6, 7], maxTokens: 1_000, temperature: 0, ignoreStop: true };
  let resumedMs: number | undefined;
  let made = 0;
  for await (const _ of model.generate(request)) {
    if (resumedMs === undefined) {
      block(BLOCK_MS);
      resumedMs = performance.now();
    } else if (performance.now() - resumedMs < BURST_MS) made++;
    else break;
  }
  return made;
}

/** Tokens in as long when every token is read. */
async function tokensRead(model: Model): Promise<number> {
  const request = { promptTokenIds: [5, 6, 7], maxTokens: 1_000, temperature: 0, ignoreStop: true };
  let [firstMs, read] = [0, 0];
  for await (const _ of model.generate(request)) {
    firstMs ||= performance.now();
    if (performance.now() - firstMs > BLOCK_MS) break;
    read++;
  }
  return read;
}

for (const threads of new Set([1, availableParallelism()])) {
  await using engine = await createEngine({ threads, speculation: false });
  const model = await engine.load('demo');
  const counts: Record<string, number[]> = { read: [], asleep: [], computing: [] };
  for (let round = 0; round < ROUNDS; round++) {
    counts['read']?.push(await tokensRead(model));
    for (const [name, block] of Object.entries(blocks)) counts[name]?.push(await tokensIn(model, block));
  }
  const tokensIn200ms = Object.fromEntries(Object.entries(counts).map(([name, values]) => [name, median(values)]));
  console.log(JSON.stringify({ threads, tokensIn200ms }));
}
