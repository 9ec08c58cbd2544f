import { randomKey } from '../base/index.js';
import { createConstraint, type Constraint, type ConstraintSurroundings } from '../grammar/index.js';
import { isEndless, leavesFree } from './endless.js';
import { MeanPool } from './mean-pool.js';
import { rootOf, type CachePlace } from './cache/prefix-cache.js';
import type { FinishReason, GenerateRequest } from './request.js';
import { resolveSampling, type ResolvedSampling } from './sampling/sampling.js';

/** Who asks when nobody says: it may be many. */
export const NOBODY = '';

/** What a sequence is made in. */
export interface Surroundings extends ConstraintSurroundings {
  /** The engine's clock. */
  readonly nowMs: number;
}

/**
 * One prompt on its way to its completion. The token list is the truth; blocks and `numComputed` only say how much
 * of it the KV cache holds, and may be dropped at any time.
 */
export class Sequence {
  readonly id: number;
  readonly request: GenerateRequest;
  /** Prompt, then completion. */
  readonly tokenIds: number[];
  readonly promptLength: number;
  readonly randomKey: bigint;
  readonly stopTokenIds: ReadonlySet<number>;
  readonly sampling: ResolvedSampling;
  /** Sequence breakers of the sampling. */
  readonly breakers: ReadonlySet<number>;
  /** Logits of the model. */
  readonly #vocabSize: number;
  /** Told of every completion token. */
  readonly constraint: Constraint | undefined;
  /** Where its hidden states go, if they are wanted and not tokens. */
  readonly pool: MeanPool | undefined;
  /** Who asks: waits in turn among callers, and goes on in the middle of what it asked before. Empty: nobody in particular. */
  readonly caller: string;
  /** Where the chain of its blocks begins. */
  readonly cacheRoot: CachePlace;
  readonly priority: number;
  /** When it must have ended, on the engine's clock. */
  readonly deadlineMs: number;
  /** KV blocks in order: token i lies in blocks[i / 32]. */
  blocks: number[] = [];
  /** Tokens whose key and value are in the cache. */
  numComputed = 0;
  /** Blocks that the prefix cache has been told of, and the place in its chain where they end. */
  numRemembered = 0;
  cacheNode: CachePlace;
  #isHeld = false;
  /** Tokens of the prompt that were found in the cache when the sequence first ran, until that is given out. */
  numCached: number | undefined;

  /** `emitted`: completion tokens that an earlier life of this sequence has already given out. */
  constructor(id: number, request: GenerateRequest, emitted: readonly number[], surroundings: Surroundings) {
    this.id = id;
    this.request = request;
    this.tokenIds = [...request.promptTokenIds, ...emitted];
    this.promptLength = request.promptTokenIds.length;
    this.randomKey = randomKey(request.sampling.seed);
    this.stopTokenIds = new Set(request.ignoreStop ? [] : request.stopTokenIds);
    this.sampling = resolveSampling(request.sampling);
    this.breakers = new Set(this.sampling.dry.breakerIds);
    this.#vocabSize = surroundings.vocabSize;
    this.constraint = request.constraint && createConstraint(request.constraint, surroundings);
    for (const tokenId of emitted) this.constraint?.advance(tokenId);
    this.pool = request.pooling === 'mean' ? new MeanPool() : undefined;
    this.caller = request.caller ?? NOBODY;
    this.cacheRoot = rootOf(request.cacheScope);
    this.cacheNode = this.cacheRoot;
    this.priority = request.priority ?? 0;
    this.deadlineMs = surroundings.nowMs + (request.deadlineMs ?? Infinity);
  }

  /** All its tokens: those of the prompt, and those that came. */
  get numTokens(): number {
    return this.tokenIds.length;
  }

  /** Completion tokens so far: also the place of the next one in the random stream. */
  get numGenerated(): number {
    return this.tokenIds.length - this.promptLength;
  }

  /** Tokens that must go through the model before the next can be sampled. */
  get numPending(): number {
    return this.tokenIds.length - this.numComputed;
  }

  /** Tokens that come next without being sampled. With logprobs every token is sampled, since each has its own logits. */
  get forced(): readonly number[] {
    return (this.request.logprobs === undefined && this.constraint?.forced) || [];
  }

  /** Whether the hidden states of all its tokens are pooled: its end. */
  get isPooled(): boolean {
    return this.pool?.count === this.promptLength;
  }

  /** Its first tokens that need not be computed if their keys and values are at hand: nothing else is wanted of them. */
  get numReusable(): number {
    return this.pool?.count ?? this.tokenIds.length - 1;
  }

  /** Tokens that it must have room for to be let in: all it has, and one more if that is to be sampled. */
  get numToHold(): number {
    return this.tokenIds.length + (this.pool === undefined ? 1 : 0);
  }

  /** Leaves it out of steps until its mask is there; then its last token is computed again. */
  hold(): void {
    this.#isHeld = true;
    this.numComputed = this.tokenIds.length - 1;
  }

  /** Whether it waits for a mask. */
  get isHeld(): boolean {
    return this.#isHeld && this.constraint?.isReady === false;
  }

  /** Appends the next token; says why the sequence ends, if it does. A stop id is not appended. */
  append(tokenId: number, contextLength: number): FinishReason | undefined {
    this.#isHeld = false;
    if (this.stopTokenIds.has(tokenId)) return 'stop';
    this.tokenIds.push(tokenId);
    this.constraint?.advance(tokenId);
    if (this.constraint?.ended === true) return 'stop';
    const full = this.numGenerated >= this.request.maxTokens || this.tokenIds.length >= contextLength;
    return full || this.#isEndless ? 'length' : undefined;
  }

  /** Whether it repeats itself without end, and nothing wants it to. */
  get #isEndless(): boolean {
    const { mayRepeat, ignoreStop } = this.request;
    if (mayRepeat === true || ignoreStop || this.numGenerated <= this.sampling.minTokens) return false;
    return isEndless(this.tokenIds, this.promptLength) && leavesFree(this.constraint, this.#vocabSize);
  }
}
