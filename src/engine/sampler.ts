import { randomAt } from '../base/index.js';
import { Candidates } from './candidates.js';
import type { TokenLogprobs } from './request.js';
import type { ResolvedSampling } from './sampling.js';
import { HEAVIEST, massAt, positionScale } from './softmax.js';

/** What the next token of a sequence depends on, besides the logits. */
export interface SamplingState {
  readonly sampling: ResolvedSampling;
  /** Prompt, then completion. */
  readonly tokenIds: readonly number[];
  readonly promptLength: number;
  readonly randomKey: bigint;
  readonly stopTokenIds: ReadonlySet<number>;
  /** `sampling.dry.breakerIds`, for lookups. */
  readonly breakers: ReadonlySet<number>;
}

/** One rule that changes logits or drops candidates. */
export interface Sampler {
  /** Whether this rule has no effect here. */
  readonly isOff: (state: SamplingState) => boolean;
  readonly apply: (candidates: Candidates, state: SamplingState) => void;
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
   * The next token of a sequence: depends on the logits and `state` alone. logits: f32 [vocabSize], left as they are.
   * `allowed`: a bit for each token that may come, at least one; it outranks every bias. Errors: `numeric_failure`.
   */
  sample(logits: Float32Array, state: SamplingState, allowed?: Uint32Array): number {
    const candidates = this.#candidates;
    candidates.reset(logits);
    if (allowed !== undefined) candidates.row.allowOnly(allowed);
    for (const sampler of this.#samplers) if (!sampler.isOff(state)) sampler.apply(candidates, state);
    return candidates.draw(randomAt(state.randomKey, state.tokenIds.length - state.promptLength));
  }

  /**
   * The log-softmax of the model's logits (before bias, penalties and temperature), in f32: that of `tokenId`, and the
   * `numTop` largest, largest first, of equal ones the lowest id.
   */
  logprobs(logits: Float32Array, tokenId: number, numTop: number): TokenLogprobs {
    const candidates = this.#candidates;
    candidates.reset(logits);
    const { max } = candidates.row;
    const scale = positionScale(1);
    let mass = 0;
    for (let id = 0; id < logits.length; id++) mass += massAt((max - (logits[id] as number)) * scale);
    const logMass = Math.log(mass / HEAVIEST);
    const logprob = (id: number): number => Math.fround((logits[id] as number) - max - logMass);
    if (numTop === 0) return { logprob: logprob(tokenId), top: [] };
    candidates.keepHeaviest(numTop);
    const top = Array.from(candidates.ids, (id) => ({ tokenId: id, logprob: logprob(id) }));
    top.sort((a, b) => (logits[b.tokenId] as number) - (logits[a.tokenId] as number));
    return { logprob: logprob(tokenId), top: top.filter((one) => one.logprob > -Infinity) };
  }
}
