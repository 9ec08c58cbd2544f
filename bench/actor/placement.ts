// What a placement costs a token: the demo model decodes alone and eight at once, computed by one thread each time, in
// the caller's own and in the engine's. One JSON line each; the last one has the difference. Rounds alternate, so that
// what else the machine does falls on both.
import { createEngine, type Model } from '../../src/index.js';
import { median, quantile, significant } from '../record/statistics.js';

const TOKENS = 256;
const ROUNDS = 15;
const PLACEMENTS = ['inline', 'threads'] as const;

/** Tokens of `sequences` conversations at once, and how long they took. */
async function usPerToken(model: Model, sequences: number, seed: number): Promise<number> {
  const one = async (index: number): Promise<void> => {
    const request = { promptTokenIds: [1, 2 + index], maxTokens: TOKENS, seed: seed + index, ignoreStop: true };
    for await (const _ of model.generate(request));
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: sequences }, (_, index) => one(index)));
  return ((performance.now() - begin) * 1_000) / (TOKENS * sequences);
}

function print(values: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ bench: 'placement', node: process.versions.node, ...values })}\n`);
}

const engines = await Promise.all(PLACEMENTS.map((placement) => createEngine({ placement, threads: 1 })));
const models = await Promise.all(engines.map((engine) => engine.load('demo')));

for (const sequences of [1, 8]) {
  const times: number[][] = PLACEMENTS.map(() => []);
  for (let round = -ROUNDS; round < ROUNDS; round++) {
    for (const [index, model] of models.entries()) {
      const us = await usPerToken(model, sequences, round);
      if (round >= 0) times[index]?.push(us);
    }
  }
  const medians = times.map((values) => significant(median(values)));
  PLACEMENTS.forEach((placement, index) => {
    const values = times[index] as number[];
    const spread = { p10Us: significant(quantile(values, 0.1)), p90Us: significant(quantile(values, 0.9)) };
    print({ placement, sequences, usPerToken: medians[index], ...spread });
  });
  const [inline, threads] = medians as [number, number];
  print({ sequences, threadsMinusInlineUs: Number((threads - inline).toPrecision(3)) });
}

for (const engine of engines) await engine[Symbol.asyncDispose]();
