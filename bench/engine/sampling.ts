/**
 * Sampling on one thread: `node dist/bench/engine/sampling.js`. One JSON line for each setting: microseconds a token over
 * a vocabulary of 151,936 (Qwen), best and median of several windows. `shape`: logits as a confident model gives them, as
 * an unsure one does, and flat ones, where nearly every token can come.
 */

import { performance } from 'node:perf_hooks';
import { randomAt, randomKey } from '../../src/base/index.js';
import { TokenSampler, type SamplingState } from '../../src/engine/sampler.js';
import { samplers } from '../../src/engine/samplers/index.js';
import { resolveSampling, type Sampling } from '../../src/engine/sampling.js';

const VOCAB_SIZE = 151_936;
const ROWS = 4;
const WINDOWS = 9;
const WINDOW_MS = 100;
/** Prompt and completion that the penalties look at. */
const PROMPT_TOKENS = 1_000;
const COMPLETION_TOKENS = 500;

const key = randomKey(5);

/** f32 [ROWS, VOCAB_SIZE] in shared memory, as a device has them: normal, with a few tokens that stand out. */
function createRows(spread: number, lead: number): Float32Array[] {
  return Array.from({ length: ROWS }, (_, row) => {
    const logits = new Float32Array(new SharedArrayBuffer(4 * VOCAB_SIZE));
    for (let i = 0; i < VOCAB_SIZE; i += 2) {
      const at = 2 * (row * VOCAB_SIZE + i);
      // Box and Muller 1958.
      const radius = spread * Math.sqrt(-2 * Math.log(1 - randomAt(key, at)));
      const angle = 2 * Math.PI * randomAt(key, at + 1);
      logits[i] = radius * Math.cos(angle);
      logits[i + 1] = radius * Math.sin(angle);
    }
    for (let i = 0; i < 8; i++) logits[(i * 18_911 + row) % VOCAB_SIZE] = lead - 1.5 * i;
    return logits;
  });
}

const shapes = {
  confident: createRows(2, 24),
  unsure: createRows(2.5, 14),
  flat: createRows(0.5, 2),
};

const base = { temperature: 1, seed: 5 };
const settings: Record<string, Sampling> = {
  greedy: { ...base, temperature: 0 },
  temperature: base,
  'top-k top-p': { ...base, temperature: 0.8, topK: 40, topP: 0.95 },
  'top-p': { ...base, temperature: 0.7, topP: 0.95 },
  'min-p': { ...base, minP: 0.05 },
  typical: { ...base, typicalP: 0.9 },
  xtc: { ...base, xtc: { probability: 1, threshold: 0.1 } },
  'penalties top-k top-p': {
    ...base,
    temperature: 0.8,
    topK: 40,
    topP: 0.95,
    repetitionPenalty: 1.1,
    repeatLastN: -1,
    presencePenalty: 0.5,
    frequencyPenalty: 0.2,
    logitBias: [[42, 5]],
  },
  'penalties temperature': { ...base, repetitionPenalty: 1.1, repeatLastN: -1, presencePenalty: 0.5 },
  'dry top-k': { ...base, topK: 40, dry: { multiplier: 0.8, breakerIds: [10, 11] } },
};

const tokenIds = Array.from({ length: PROMPT_TOKENS + COMPLETION_TOKENS }, (_, i) => (i * i * 7) % 4_001);

/** Microseconds of one call of `run`: best and median window. */
function measure(run: (turn: number) => void): { best: number; median: number } {
  let turn = 0;
  const windows: number[] = [];
  for (let window = 0; window <= WINDOWS; window++) {
    const from = performance.now();
    let turns = 0;
    while (performance.now() - from < WINDOW_MS) for (let i = 0; i < 4; i++, turns++) run(turn++);
    // The first warms up.
    if (window > 0) windows.push(((performance.now() - from) * 1000) / turns);
  }
  windows.sort((a, b) => a - b);
  return { best: Math.round(windows[0] as number), median: Math.round(windows[WINDOWS >> 1] as number) };
}

const sampler = new TokenSampler(samplers, VOCAB_SIZE);
for (const [shape, rows] of Object.entries(shapes)) {
  const report = (name: string, run: (turn: number) => void): void => {
    const { best, median } = measure(run);
    const line = { bench: 'sampling', shape, setting: name, vocab: VOCAB_SIZE, micros: best, median };
    process.stdout.write(`${JSON.stringify({ ...line, node: process.versions.node })}\n`);
  };
  for (const [name, sampling] of Object.entries(settings)) {
    const state: SamplingState = {
      sampling: resolveSampling(sampling),
      tokenIds,
      promptLength: PROMPT_TOKENS,
      randomKey: key,
      stopTokenIds: new Set(),
      breakers: new Set(sampling.dry?.breakerIds),
    };
    report(name, (turn) => void sampler.sample(rows[turn % ROWS] as Float32Array, state));
  }
  report('logprobs 20', (turn) => void sampler.logprobs(rows[turn % ROWS] as Float32Array, 7, 20));
}
