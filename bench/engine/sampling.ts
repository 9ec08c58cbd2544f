/**
 * Sampling on one thread: `node dist/bench/engine/sampling.js`. One JSON line for each setting: microseconds a token over
 * a vocabulary of 151,936 (Qwen) and one of 4,096 (the demo model's size), best and median of several windows.
 * `limitMicros`: what the large one may take. `shape`: logits as a confident model gives them, as an unsure one does, and
 * flat ones, where nearly every token can come.
 */

import { performance } from 'node:perf_hooks';
import { randomAt, randomKey } from '../../src/base/index.js';
import { createRow, setKernelFlags } from '../../src/compute/index.js';
import { TokenSampler, type SamplingState } from '../../src/engine/sampler.js';
import { samplers } from '../../src/engine/samplers/index.js';
import { resolveSampling, type Sampling } from '../../src/engine/sampling.js';

const VOCAB_SIZES = [151_936, 4096];
/** 3 % of a step of Qwen 0.5B in q4 on two threads, which takes 12 to 15 ms. */
const LIMIT_MICROS = 400;
const ROWS = 4;
/** Short windows, so that some fall between the turns of other processes. */
const WINDOWS = 200;
const WINDOW_MS = 2;
const WARM_UP_MS = 100;
/** Prompt and completion that the penalties look at. */
const PROMPT_TOKENS = 1_000;
const COMPLETION_TOKENS = 500;

const key = randomKey(5);

/** f32 [ROWS, vocabSize] in shared memory, as a device has them: normal, with a few tokens that stand out. */
function createRows(vocabSize: number, { spread, lead }: { spread: number; lead: number }): Float32Array[] {
  return Array.from({ length: ROWS }, (_, row) => {
    const logits = new Float32Array(new SharedArrayBuffer(4 * vocabSize));
    for (let i = 0; i < vocabSize; i += 2) {
      const at = 2 * (row * vocabSize + i);
      // Box and Muller 1958.
      const radius = spread * Math.sqrt(-2 * Math.log(1 - randomAt(key, at)));
      const angle = 2 * Math.PI * randomAt(key, at + 1);
      logits[i] = radius * Math.cos(angle);
      logits[i + 1] = radius * Math.sin(angle);
    }
    for (let i = 0; i < 8; i++) logits[(i * 18_911 + row) % vocabSize] = lead - 1.5 * i;
    return logits;
  });
}

const shapes = {
  confident: { spread: 2, lead: 24 },
  unsure: { spread: 2.5, lead: 14 },
  flat: { spread: 0.5, lead: 2 },
};

const base = { temperature: 1, seed: 5 };
const settings: Record<string, Sampling> = {
  greedy: { ...base, temperature: 0 },
  temperature: base,
  'top-k top-p': { ...base, temperature: 0.8, topK: 40, topP: 0.95 },
  'top-k 5000': { ...base, topK: 5_000 },
  'top-p': { ...base, temperature: 0.7, topP: 0.95 },
  'min-p': { ...base, minP: 0.05 },
  typical: { ...base, typicalP: 0.9 },
  'typical top-p': { ...base, typicalP: 0.9, topP: 0.95 },
  xtc: { ...base, xtc: { probability: 1, threshold: 0.1 } },
  'min-p xtc': { ...base, minP: 0.02, xtc: { probability: 1, threshold: 0.1 } },
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

const tokenIds = Array.from({ length: PROMPT_TOKENS + COMPLETION_TOKENS }, (_, i) => (i * i * 7) % 4001);

/** Microseconds of one call of `run`: best and median window. */
function measure(run: (turn: number) => void): { best: number; median: number } {
  let turn = 0;
  const window = (durationMs: number): number => {
    const from = performance.now();
    let turns = 0;
    while (performance.now() - from < durationMs) for (let i = 0; i < ROWS; i++, turns++) run(turn++);
    return ((performance.now() - from) * 1000) / turns;
  };
  window(WARM_UP_MS);
  const windows = Array.from({ length: WINDOWS }, () => window(WINDOW_MS));
  windows.sort((a, b) => a - b);
  const rounded = (micros: number): number => Number(micros.toPrecision(3));
  return { best: rounded(windows[0] as number), median: rounded(windows[WINDOWS >> 1] as number) };
}

function benchVocabulary(vocabSize: number): void {
  const sampler = new TokenSampler(samplers, createRow(vocabSize));
  // A mask that allows one token in eight, words of it none at all.
  const allowed = Uint32Array.from({ length: Math.ceil(vocabSize / 32) }, (_, i) => (i % 4 === 0 ? 0x0f0f_0f0f : 0));
  for (const [shape, form] of Object.entries(shapes)) {
    const rows = createRows(vocabSize, form);
    const report = (setting: string, sampleRow: (row: Float32Array) => void): void => {
      const { best, median } = measure((turn) => sampleRow(rows[turn % ROWS] as Float32Array));
      const line = { bench: 'sampling', vocab: vocabSize, shape, setting, micros: best, median };
      const limit = vocabSize === VOCAB_SIZES[0] ? { limitMicros: LIMIT_MICROS } : {};
      process.stdout.write(`${JSON.stringify({ ...line, ...limit, node: process.versions.node })}\n`);
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
      report(name, (row) => void sampler.sample(row, state));
      if (name === 'temperature') report('mask temperature', (row) => void sampler.sample(row, state, allowed));
    }
    report('logprobs 20', (row) => void sampler.logprobs(row, 7, 20));
  }
}

// As in an engine: the flags come before anything is compiled.
setKernelFlags();
for (const vocabSize of VOCAB_SIZES) benchVocabulary(vocabSize);
