import { AppError, randomAt } from '../base/index.js';
import { Candidates } from './candidates.js';
import type { Sampling } from './request.js';

/** One rule that narrows or reweighs the candidates. Weights are logits before and after. */
export interface Sampler {
  /** Whether `sampling` leaves this rule without effect. */
  readonly isOff: (sampling: Sampling, vocabSize: number) => boolean;
  readonly apply: (candidates: Candidates, sampling: Sampling) => void;
}

/** Chooses tokens from logits. One for each engine thread: it owns scratch memory. */
export class TokenSampler {
  readonly #samplers: readonly Sampler[];
  readonly #candidates: Candidates;

  constructor(samplers: readonly Sampler[], vocabSize: number) {
    this.#samplers = samplers;
    this.#candidates = new Candidates(vocabSize);
  }

  /**
   * The token for place `index` of a completion: depends on the logits, the sampling and (key, index) alone.
   * logits: f32 [vocabSize], left as they are. Errors: `numeric_failure`.
   */
  sample(logits: Float32Array, sampling: Sampling, key: bigint, index: number): number {
    const best = argmax(logits);
    if (sampling.temperature === 0) return best;
    const candidates = this.#candidates;
    candidates.reset(logits);
    for (const sampler of this.#samplers) {
      if (!sampler.isOff(sampling, logits.length)) sampler.apply(candidates, sampling);
    }
    candidates.normalize();
    return draw(candidates, randomAt(key, index), best);
  }
}

/** The lowest id of the largest logit. Errors: `numeric_failure` when it is not finite. */
function argmax(logits: Float32Array): number {
  let best = 0;
  let max = -Infinity;
  for (let i = 0; i < logits.length; i++) {
    const logit = logits[i] as number;
    if (logit > max) {
      max = logit;
      best = i;
    }
  }
  // NaN never wins a comparison: a row of them leaves −Infinity.
  if (Number.isFinite(max) && !Number.isNaN(logits[0])) return best;
  throw new AppError(
    'numeric_failure',
    'the logits are not finite; the weights are broken or a kernel is: convert the model again',
  );
}

/** Inverse transform sampling; `fallback` when rounding leaves nothing. */
function draw(candidates: Candidates, uniform: number, fallback: number): number {
  const { ids, weights, count } = candidates;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    sum += weights[i] as number;
    if (uniform < sum) return ids[i] as number;
  }
  return count > 0 ? (ids[count - 1] as number) : fallback;
}
