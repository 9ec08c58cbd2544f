// node dist/bench/contest/ours.js <file.gguf> <threads> <cache directory>: this engine as a contestant.

import { createEngine, type Model } from '../../src/index.js';
import type { Task } from './measures.js';
import { serveTasks } from './serve-tasks.js';

/** When each sequence had its first and its last token. */
interface Times {
  readonly first: number;
  readonly last: number;
  /** Of every token. */
  readonly all: readonly number[];
}

async function generate(model: Model, promptTokenIds: readonly number[], maxTokens: number): Promise<Times> {
  const all: number[] = [];
  const request = { promptTokenIds, maxTokens, temperature: 0, ignoreStop: true };
  for await (const { tokenIds } of model.generateOutputs(request)) {
    const now = performance.now();
    for (const _ of tokenIds) all.push(now);
  }
  return { first: all[0] ?? Number.NaN, last: all.at(-1) ?? Number.NaN, all };
}

/** Tokens a second: of the prompt until the first token; or after the first, while all sequences run. */
async function run(model: Model, { rateOf, genTokens, prompts }: Task): Promise<number> {
  const start = performance.now();
  const times = await Promise.all(prompts.map((prompt) => generate(model, prompt, genTokens)));
  if (rateOf === 'prompt') {
    const end = Math.max(...times.map(({ first }) => first));
    return (prompts.reduce((sum, { length }) => sum + length, 0) * 1000) / (end - start);
  }
  const from = Math.max(...times.map(({ first }) => first));
  const to = Math.min(...times.map(({ last }) => last));
  const tokens = times.reduce((sum, { all }) => sum + all.filter((at) => at > from && at <= to).length, 0);
  return (tokens * 1000) / (to - from);
}

const [file = '', threads = '', cacheDir = ''] = process.argv.slice(2);
await using engine = await createEngine({ threads: Number(threads), cacheDir, speculation: false });
await using model = await engine.load(file);
await serveTasks({ kernel: model.kernel, node: process.version }, (task) => run(model, task));
