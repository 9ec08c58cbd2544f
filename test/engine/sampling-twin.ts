// The samplers written plainly: arrays, sorts and loops over everything. Shares nothing with the product.

import { randomAt } from '../../src/base/index.js';
import type { SamplingState } from '../../src/engine/sampling/token-sampler.js';

/** A token that may come. */
export interface Candidate {
  readonly id: number;
  /** How far below the largest logit, in parts of a halving. */
  readonly steps: number;
  readonly bucket: number;
  /** What every token of its bucket counts. */
  readonly unit: number;
}

const f = Math.fround;
/** Steps of a halving for a vocabulary of so many. */
export function stepsAHalving(size: number): number {
  return Math.ceil(size / 64) * 64 > 16_384 ? 256 : 64;
}

/** How many steps a logit lies below the largest. */
export function plainSteps(logit: number, max: number, temperature: number, steps: number): number {
  const scale = f(Math.min(1 / (Math.LN2 * temperature), 2 ** 100));
  return f(f(max - logit) * f(scale * steps));
}

/** The nearest whole number, of two the even one. */
function nearestWhole(value: number): number {
  return value + 2 ** 52 - 2 ** 52;
}

/** round(2^33 × 2^−halvings), every step in f32, halves to even. */
export function plainWeight(halvings: number): number {
  const whole = f(f(halvings + 12_582_912) - 12_582_912);
  if (whole === 160) return 0;
  const r = f(whole - halvings);
  // Cephes, single/exp2f.c, its terms in pairs.
  const pair = (a: number, b: number): number => f(f(f(a) * r) + f(b));
  const high = pair(1.5353361883195e-4, 1.339887440266574e-3);
  const middle = pair(9.61843735767464e-3, 5.550332471162809e-2);
  const low = pair(2.402264791363012e-1, 6.931472028550421e-1);
  const square = f(r * r);
  const upper = f(f(high * square) + middle);
  const power = pair(f(f(upper * square) + low), 1);
  return nearestWhole(f(power * 2 ** (33 - whole)));
}

const total = (candidates: readonly Candidate[]): number => candidates.reduce((sum, { unit }) => sum + unit, 0);
const likeliest = (a: Candidate, b: Candidate): number => a.steps - b.steps || a.id - b.id;

/** Every token that weighs something. */
export function plainCandidates(row: readonly number[], temperature: number): Candidate[] {
  const max = Math.max(...row);
  const steps = stepsAHalving(row.length);
  return row
    .map((logit, id): Candidate => {
      const own = plainSteps(logit, max, temperature, steps);
      const bucket = nearestWhole(Math.min(own, 33 * steps));
      return { id, steps: own, bucket, unit: plainWeight(Math.max(0, bucket - 0.5) / steps) };
    })
    .filter(({ bucket }) => bucket < 33 * steps);
}

/** The token that `TokenSampler.sample` must choose. Logits: no NaN and no +Infinity. */
export function plainSample(logits: Float32Array, state: SamplingState, allowed?: Uint32Array): number {
  const { sampling, tokenIds, promptLength, randomKey } = state;
  const place = tokenIds.length - promptLength;
  let row = changeLogits(logits, state, allowed);
  // When everything is banned, only the mask holds.
  if (row.every((logit) => logit === -Infinity)) row = mask([...logits], allowed);

  if (sampling.temperature === 0) return row.indexOf(Math.max(...row));
  const all = plainCandidates(row, sampling.temperature);
  const steps = stepsAHalving(row.length);
  let candidates = all;
  const { topK, typicalP, topP, minP, xtc } = sampling;
  if (topK > 0) candidates = candidates.toSorted(likeliest).slice(0, topK);
  if (typicalP < 1) candidates = plainTypical(candidates, typicalP);
  if (topP < 1) candidates = plainNearest(candidates, 0, topP);
  if (minP > 0) {
    const limit = f(Math.min(...candidates.map((one) => one.steps)) - Math.log2(minP) * steps);
    candidates = candidates.filter((one) => one.steps <= limit);
  }
  if (xtc.probability > 0 && randomAt(randomKey, 2 ** 40 + place) < xtc.probability) {
    const least = xtc.threshold * total(candidates);
    const top = candidates.filter(({ unit }) => unit >= least).toSorted(likeliest);
    const spared = top.at(-1);
    candidates = candidates.filter((candidate) => candidate === spared || !top.includes(candidate));
  }
  return draw(candidates, all, steps, (attempt) => randomAt(randomKey, place + attempt * 2 ** 42));
}

function draw(
  candidates: readonly Candidate[],
  all: readonly Candidate[],
  steps: number,
  uniform: (attempt: number) => number,
): number {
  for (let attempt = 0; ; attempt++) {
    let rest = uniform(attempt) * total(candidates);
    for (const bucket of [...new Set(candidates.map((one) => one.bucket))].toSorted((a, b) => a - b)) {
      const inBucket = candidates.filter((one) => one.bucket === bucket);
      const mass = total(inBucket);
      if (rest >= mass) {
        rest -= mass;
        continue;
      }
      const isWhole = all.filter((one) => one.bucket === bucket).length === inBucket.length;
      const order = inBucket.toSorted(isWhole ? (a, b) => a.id - b.id : likeliest);
      const index = Math.floor(rest / (mass / order.length));
      const { id, unit, steps: own } = order[index] as Candidate;
      if (rest - index * unit < plainWeight(own / steps)) return id;
      break;
    }
  }
}

/** Those nearest to the expected surprise. */
export function plainTypical(candidates: readonly Candidate[], share: number): Candidate[] {
  const masses = new Map<number, number>();
  for (const { bucket, unit } of candidates) masses.set(bucket, (masses.get(bucket) ?? 0) + unit);
  const moment = [...masses].toSorted(([a], [b]) => a - b).reduce((sum, [bucket, mass]) => sum + mass * bucket, 0);
  return plainNearest(candidates, Math.round(moment / total(candidates)), share);
}

/** Those whose buckets are nearest to `middle`, as many as have `share` of all the weight. */
export function plainNearest(candidates: readonly Candidate[], middle: number, share: number): Candidate[] {
  const target = Math.max(1, share * total(candidates));
  const distance = ({ bucket }: Candidate): number => Math.abs(bucket - middle);
  const kept: Candidate[] = [];
  let weighed = 0;
  for (const candidate of candidates.toSorted(
    (a, b) => distance(a) - distance(b) || a.bucket - b.bucket || likeliest(a, b),
  )) {
    if (weighed >= target) break;
    weighed += candidate.unit;
    kept.push(candidate);
  }
  return kept;
}

function mask(row: number[], allowed: Uint32Array | undefined): number[] {
  if (allowed === undefined) return row;
  return row.map((logit, id) => ((((allowed[id >> 5] as number) >>> (id & 31)) & 1) === 1 ? logit : -Infinity));
}

function changeLogits(logits: Float32Array, state: SamplingState, allowed: Uint32Array | undefined): number[] {
  const { sampling, tokenIds, promptLength, stopTokenIds } = state;
  const row = mask([...logits], allowed);
  const change = (id: number, value: number): void => {
    row[id] = Math.fround(Math.min(value, 3.4028234663852886e38));
  };
  const at = (id: number): number => row[id] as number;
  for (const [id, bias] of sampling.logitBias) change(id, at(id) + bias);
  if (tokenIds.length - promptLength < sampling.minTokens) for (const id of stopTokenIds) change(id, -Infinity);

  const { repetitionPenalty, repeatLastN, presencePenalty, frequencyPenalty } = sampling;
  const recent = repeatLastN === 0 ? [] : repeatLastN < 0 ? tokenIds : tokenIds.slice(-repeatLastN);
  if (repetitionPenalty !== 1) {
    for (const id of new Set(recent)) {
      change(id, at(id) > 0 ? at(id) / repetitionPenalty : at(id) * repetitionPenalty);
    }
  }
  const generated = tokenIds.slice(promptLength);
  if (presencePenalty !== 0 || frequencyPenalty !== 0) {
    for (const id of new Set(generated)) {
      const count = generated.filter((other) => other === id).length;
      change(id, at(id) - (presencePenalty + count * frequencyPenalty));
    }
  }
  for (const [id, penalty] of dryPenalties(state)) change(id, at(id) - penalty);
  return row;
}

/** For every token: the longest end of the text that it would go on repeating, tried out from every place. */
function dryPenalties({ sampling, tokenIds }: SamplingState): Map<number, number> {
  const { multiplier, base, allowedLength, penaltyLastN, breakerIds } = sampling.dry;
  const penalties = new Map<number, number>();
  if (multiplier === 0 || penaltyLastN === 0) return penalties;
  const text = penaltyLastN < 0 ? tokenIds : tokenIds.slice(-penaltyLastN);
  if (text.length <= allowedLength) return penalties;
  const longest = new Map<number, number>();
  for (let next = 1; next < text.length; next++) {
    let length = 0;
    while (length < next) {
      const token = text[text.length - 1 - length] as number;
      if (text[next - 1 - length] !== token || breakerIds.includes(token)) break;
      length++;
    }
    const id = text[next] as number;
    longest.set(id, Math.max(length, longest.get(id) ?? 0));
  }
  for (const [id, length] of longest) {
    if (length < allowedLength || breakerIds.includes(id)) continue;
    penalties.set(id, multiplier * base ** (length - allowedLength));
  }
  return penalties;
}
