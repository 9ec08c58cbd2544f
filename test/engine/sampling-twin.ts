// The samplers written plainly: arrays, sorts and loops over everything. Shares nothing with the product.

import { randomAt } from '../../src/base/index.js';
import type { SamplingState } from '../../src/engine/sampler.js';

interface Candidate {
  readonly id: number;
  readonly halvings: number;
  readonly weight: number;
}

const f = Math.fround;
/** How often the weight of a logit is halved. */
export function plainHalvings(logit: number, max: number, temperature: number): number {
  const scale = f(Math.min(1 / (Math.LN2 * temperature), 2 ** 100));
  return Math.min(f(f(max - logit) * scale), 162);
}

/** round(2^35 × 2^−halvings), every step in f32, halves to even. */
export function plainWeight(halvings: number): number {
  const whole = f(f(halvings + 12_582_912) - 12_582_912);
  if (whole === 162) return 0;
  const r = f(whole - halvings);
  // Cephes, single/exp2f.c, its terms in pairs.
  const pair = (a: number, b: number): number => f(f(f(a) * r) + f(b));
  const high = pair(1.5353361883195e-4, 1.339887440266574e-3);
  const middle = pair(9.61843735767464e-3, 5.550332471162809e-2);
  const low = pair(2.402264791363012e-1, 6.931472028550421e-1);
  const square = f(r * r);
  const upper = f(f(high * square) + middle);
  const power = pair(f(f(upper * square) + low), 1);
  return f(power * 2 ** (35 - whole)) + 2 ** 52 - 2 ** 52;
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const total = (candidates: readonly Candidate[]): number => sum(candidates.map(({ weight }) => weight));
const byId = (candidates: readonly Candidate[]): Candidate[] => candidates.toSorted((a, b) => a.id - b.id);

/** The token that `TokenSampler.sample` must choose. Logits: no NaN and no +Infinity. */
export function plainSample(logits: Float32Array, state: SamplingState, allowed?: Uint32Array): number {
  const { sampling, tokenIds, promptLength, randomKey } = state;
  const place = tokenIds.length - promptLength;
  let row = changeLogits(logits, state, allowed);
  // When everything is banned, only the mask holds.
  if (row.every((logit) => logit === -Infinity)) row = mask([...logits], allowed);

  const max = Math.max(...row);
  if (sampling.temperature === 0) return row.indexOf(max);
  let candidates = row.map((logit, id): Candidate => {
    const halvings = plainHalvings(logit, max, sampling.temperature);
    return { id, halvings, weight: plainWeight(halvings) };
  });
  const { topK, typicalP, topP, minP, xtc } = sampling;
  if (topK > 0) candidates = byId(candidates.toSorted((a, b) => a.halvings - b.halvings || a.id - b.id).slice(0, topK));
  if (typicalP < 1) {
    candidates = nearest(candidates, f(laneSum(candidates) / total(candidates)), typicalP);
  }
  if (topP < 1) candidates = nearest(candidates, 0, topP);
  if (minP > 0) {
    const limit = f(minP * Math.max(...candidates.map(({ weight }) => weight)));
    candidates = candidates.filter(({ weight }) => weight >= limit);
  }
  if (xtc.probability > 0 && randomAt(randomKey, 2 ** 40 + place) < xtc.probability) {
    const needed = f(Math.max(1, xtc.threshold * total(candidates)));
    const top = candidates.filter(({ weight }) => weight >= needed);
    const spared = top.toSorted((a, b) => b.weight - a.weight || a.id - b.id).at(-1);
    candidates = candidates.filter((candidate) => candidate === spared || !top.includes(candidate));
  }
  return draw(candidates, randomAt(randomKey, place));
}

function draw(candidates: readonly Candidate[], uniform: number): number {
  const target = uniform * total(candidates);
  let weighed = 0;
  for (const { id, weight } of candidates) {
    weighed += weight;
    if (target < weighed) return id;
  }
  throw new Error('nothing to draw from');
}

/** The sum of weight × halvings: in f32, in eight lanes for each 64 ids; these in doubles, and those of the blocks in order. */
function laneSum(candidates: readonly Candidate[]): number {
  const lanes = new Map<number, number>();
  for (const { id, weight, halvings } of candidates) {
    const lane = Math.floor(id / 64) * 8 + (id % 8);
    lanes.set(lane, f((lanes.get(lane) ?? 0) + f(weight * halvings)));
  }
  const blocks = [...new Set([...lanes.keys()].map((lane) => Math.floor(lane / 8)))].toSorted((a, b) => a - b);
  return sum(
    blocks.map((block) => {
      const at = (lane: number): number => lanes.get(block * 8 + lane) ?? 0;
      return at(0) + at(2) + (at(4) + at(6)) + (at(1) + at(3) + (at(5) + at(7)));
    }),
  );
}

function nearest(candidates: readonly Candidate[], origin: number, share: number): Candidate[] {
  const target = Math.max(1, share * total(candidates));
  const distance = ({ halvings }: Candidate): number => f(Math.abs(halvings - origin));
  const kept: Candidate[] = [];
  let weighed = 0;
  for (const candidate of candidates
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => distance(a) - distance(b) || a.id - b.id)) {
    if (weighed >= target) break;
    weighed += candidate.weight;
    kept.push(candidate);
  }
  return byId(kept);
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
