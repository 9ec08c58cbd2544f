/**
 * `node dist/bench/engine/sampling.js`: sampling on one thread, over a vocabulary of 151,936 (Qwen) and one of 4,096 (the
 * demo model's size). `… <artifact> [threads]`: over the artifact's own, in its memory, shared out among so many threads
 * (default 2), with `limitMicros`, 3 % of one of its steps in the same run. One JSON line for each setting: microseconds a
 * token, best and median of several windows. `shape`: logits as a confident model gives them, as an unsure one does, and
 * flat ones, where nearly every token can come; of an artifact also `own`, its own logits, each sampled once after the step
 * that gave them, when little of what sampling needs is in a cache.
 */

import { performance } from 'node:perf_hooks';
import { randomAt, randomKey } from '../../src/base/index.js';
import { createRow, setKernelFlags, type Row, type SegmentDevice } from '../../src/compute/devices/cpu/index.js';
import { createBatch } from '../../src/compute/index.js';
import { TokenSampler, type SamplingState } from '../../src/engine/sampling/token-sampler.js';
import { samplers } from '../../src/engine/sampling/samplers/index.js';
import { resolveSampling, type Sampling } from '../../src/engine/sampling/sampling.js';
import { startDeviceThreadGroup } from './device-thread-group.js';

const VOCAB_SIZES = [151_936, 4096];
/** Of a step, sampling may take so much (issue 5). */
const SHARE = 0.03;
/** Steps that are measured, and that each setting is measured after. */
const STEPS = 60;
const ROWS = 4;
/** Short windows, so that some fall between the turns of other processes. */
const WINDOWS = 200;
const WINDOW_MS = 2;
const WARM_UP_MS = 100;
/** Prompt and completion that the penalties look at. */
const PROMPT_TOKENS = 1_000;
const COMPLETION_TOKENS = 500;

const key = randomKey(5);

/** Fills rows: normal, with a few tokens that stand out. */
function fillRows(rows: readonly Float32Array[], { spread, lead }: { spread: number; lead: number }): void {
  rows.forEach((logits, row) => {
    const vocabSize = logits.length;
    for (let i = 0; i < vocabSize; i += 2) {
      const at = 2 * (row * vocabSize + i);
      // Box and Muller 1958.
      const radius = spread * Math.sqrt(-2 * Math.log(1 - randomAt(key, at)));
      const angle = 2 * Math.PI * randomAt(key, at + 1);
      logits[i] = radius * Math.cos(angle);
      logits[i + 1] = radius * Math.sin(angle);
    }
    for (let i = 0; i < 8; i++) logits[(i * 18_911 + row) % vocabSize] = lead - 1.5 * i;
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

function toState(sampling: Sampling): SamplingState {
  return {
    sampling: resolveSampling(sampling),
    tokenIds,
    promptLength: PROMPT_TOKENS,
    randomKey: key,
    stopTokenIds: new Set(),
    breakers: new Set(sampling.dry?.breakerIds),
  };
}

/** One line for each shape and setting, over `row`, of the logits in `rows`. */
function benchRow(row: Row, rows: readonly Float32Array[], about: Record<string, unknown>): void {
  const { vocabSize } = row;
  const sampler = new TokenSampler(samplers, row);
  // A mask that allows one token in eight, words of it none at all.
  const allowed = Uint32Array.from({ length: Math.ceil(vocabSize / 32) }, (_, i) => (i % 4 === 0 ? 0x0f0f_0f0f : 0));
  for (const [shape, form] of Object.entries(shapes)) {
    fillRows(rows, form);
    const report = (setting: string, sampleRow: (logits: Float32Array) => void): void => {
      const { best, median } = measure((turn) => sampleRow(rows[turn % ROWS] as Float32Array));
      const line = { bench: 'sampling', vocab: vocabSize, shape, setting, micros: best, median, ...about };
      process.stdout.write(`${JSON.stringify({ ...line, node: process.versions.node })}\n`);
    };
    for (const [name, sampling] of Object.entries(settings)) {
      const state = toState(sampling);
      report(name, (logits) => void sampler.sample(logits, state));
      if (name === 'temperature') report('mask temperature', (logits) => void sampler.sample(logits, state, allowed));
    }
    report('logprobs 20', (logits) => void sampler.logprobs(logits, 7, 20));
  }
}

/** Steps of one sequence on the whole thread group, a row each as decoding does. */
function createStepper(device: SegmentDevice): () => void {
  const batch = createBatch(device);
  batch.rows = batch.numLogitRows = 1;
  batch.blockTables = [[0]];
  let steps = 0;
  return () => {
    batch.positions[0] = batch.slots[0] = steps++ % 32;
    device.run(batch);
  };
}

/** Microseconds of `run`, after `before` each time: the median, and the first quarter, which is disturbed less. */
function measureAfter(before: () => void, run: () => void): { best: number; median: number } {
  const times = Array.from({ length: STEPS }, () => {
    before();
    const from = performance.now();
    run();
    return (performance.now() - from) * 1000;
  }).toSorted((a, b) => a - b);
  return { best: Math.round(times[STEPS >> 2] as number), median: Math.round(times[STEPS >> 1] as number) };
}

/** One line for each setting, with the model's own logits. `micros`: the first quarter of the times. */
function benchOwn(device: SegmentDevice, step: () => void, about: Record<string, unknown>): void {
  const sampler = new TokenSampler(samplers, device.row);
  for (const [setting, sampling] of Object.entries(settings)) {
    const state = toState(sampling);
    const { best, median } = measureAfter(step, () => void sampler.sample(device.logits(0), state));
    const line = { bench: 'sampling', vocab: device.row.vocabSize, shape: 'own', setting, micros: best, median };
    process.stdout.write(`${JSON.stringify({ ...line, ...about, node: process.versions.node })}\n`);
  }
}

async function benchArtifact(directory: string, threads: number): Promise<void> {
  await using threadGroup = await startDeviceThreadGroup(directory, threads, {
    begin: () => {},
    choose: () => threads,
    learn: () => {},
  });
  const { device } = threadGroup;
  const step = createStepper(device);
  for (let i = 0; i < 3; i++) step();
  const stepMicros = measureAfter(() => {}, step).best;
  const about = { threads, stepMicros, limitMicros: Math.round(stepMicros * SHARE) };
  const rows = Array.from({ length: ROWS }, (_, row) => device.logits(row));
  benchRow(device.row, rows, about);
  benchOwn(device, step, about);
}

// As in an engine: the flags come before anything is compiled.
setKernelFlags();
const [, , directory, threads] = process.argv;
if (directory !== undefined) await benchArtifact(directory, Number(threads ?? 2));
else {
  for (const vocabSize of VOCAB_SIZES) {
    const rows = Array.from({ length: ROWS }, () => new Float32Array(new SharedArrayBuffer(4 * vocabSize)));
    benchRow(createRow(vocabSize), rows, { threads: 1 });
  }
}
