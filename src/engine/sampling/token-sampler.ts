import type { LogitsRow, SampleRule } from '../../compute/index.js';
import type { TokenLogprobs } from '../request.js';
import { Candidates } from './candidates.js';
import type { SamplerState } from './sampler.js';
import type { ResolvedSampling } from './sampling.js';

/** The inputs of the next token of a sequence besides the logits. */
export type SamplingState = SamplerState<ResolvedSampling>;

/** The methods of a sampler that the engine runs. */
export interface AppliedSampler {
  readonly isOff: (state: SamplingState) => boolean;
  readonly leavesBest?: (state: SamplingState) => boolean;
  readonly apply: (candidates: Candidates, state: SamplingState) => void;
}

/** Chooses tokens from logits. One for each engine thread: it owns scratch memory. */
export class TokenSampler {
  readonly #samplers: readonly AppliedSampler[];
  readonly #candidates: Candidates;

  /** `row`: this sampler's own. */
  constructor(samplers: readonly AppliedSampler[], row: LogitsRow) {
    this.#samplers = samplers;
    this.#candidates = new Candidates(row);
  }

  /** How a device chooses the next token of a sequence. `allowed` and errors: as `sample`. */
  rule(state: SamplingState, allowed?: Uint32Array): SampleRule {
    return {
      isGreedy: allowed === undefined && this.#isGreedy(state),
      choose: (logits) => this.sample(logits, state, allowed),
    };
  }

  /** Whether nothing changes the logits before a sampler leaves only the likeliest token. */
  #isGreedy(state: SamplingState): boolean {
    const first = this.#samplers.find((sampler) => !sampler.isOff(state));
    return first?.leavesBest?.(state) === true;
  }

  /**
   * The next token of a sequence: depends on the logits and `state` alone. logits: f32 [vocabSize], only read.
   * `allowed`: a bit for each allowed token, at least one; it outranks every bias. Errors: `numeric_failure`.
   */
  sample(logits: Float32Array, state: SamplingState, allowed?: Uint32Array): number {
    const candidates = this.#candidates;
    candidates.reset(logits);
    if (allowed !== undefined) candidates.row.allowOnly(allowed);
    for (const sampler of this.#samplers) if (!sampler.isOff(state)) sampler.apply(candidates, state);
    return candidates.draw(state.randomKey, state.tokenIds.length - state.promptLength);
  }

  /**
   * The log-softmax of the model's logits (before bias, penalties and temperature), in f32: that of `tokenId`, and the
   * `numTop` largest, largest first, of equal ones the lowest id.
   */
  logprobs(logits: Float32Array, tokenId: number, numTop: number): TokenLogprobs {
    const { row } = this.#candidates;
    this.#candidates.reset(logits);
    const logMass = this.#candidates.logMass();
    const logprob = (id: number): number => Math.fround(row.get(id) - row.max - logMass);
    const top = numTop === 0 ? [] : row.top(numTop).map((id) => ({ tokenId: id, logprob: logprob(id) }));
    return { logprob: logprob(tokenId), top: top.filter((one) => one.logprob > -Infinity) };
  }
}
