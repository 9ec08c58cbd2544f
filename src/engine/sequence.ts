import { assert, randomKey } from '../base/index.js';
import { createConstraint, type Constraint, type ConstraintSurroundings } from '../grammar/index.js';
import { isEndless, leavesFree } from './endless.js';
import { rootOf, type CacheNode } from './cache/prefix-cache.js';
import type { RowKeys } from './media/row-keys.js';
import type { FinishReason, GenerateRequest, MediaItem } from './request.js';
import { resolveSampling, type ResolvedSampling } from './sampling/sampling.js';

/** Caller of requests without a caller id; all of them share it. */
export const NO_CALLER = '';

/** The surroundings of a new sequence. */
export interface Surroundings extends ConstraintSurroundings {
  /** The engine's clock. */
  readonly nowMs: number;
  /** Names the rows of media for the prefix cache. */
  readonly rowKeys: RowKeys;
}

/**
 * One prompt on its way to its completion. The token list is the truth. Blocks and `numComputed` only describe how much
 * of it the KV cache holds, and may be dropped at any time.
 */
export class Sequence {
  readonly id: number;
  readonly request: GenerateRequest;
  /** Prompt, then completion. */
  readonly tokenIds: number[];
  /** What the prefix cache knows its rows by; without media that is `tokenIds` itself. */
  readonly rowKeys: number[];
  readonly promptLength: number;
  readonly randomKey: bigint;
  readonly stopTokenIds: ReadonlySet<number>;
  readonly sampling: ResolvedSampling;
  /** Sequence breakers of the sampling. */
  readonly breakers: ReadonlySet<number>;
  /** Number of the model's logits. */
  readonly #vocabSize: number;
  /** Follows every completion token. */
  readonly constraint: Constraint | undefined;
  /** Collects its hidden states, if it wants these instead of tokens. */
  readonly pool: MeanPool | undefined;
  /**
   * The caller: callers take turns, and a later request reuses the tokens of an earlier one. Empty: requests without a
   * caller.
   */
  readonly caller: string;
  /** The root of its chain of blocks. */
  readonly cacheRoot: CacheNode;
  readonly priority: number;
  /** When it must have ended, on the engine's clock. */
  readonly deadlineMs: number;
  /** KV blocks of each pool in order: token i lies in the entry i / 32. */
  tables: number[][] = [];
  /** Tokens whose key and value are in the cache. */
  numComputed = 0;
  /** Number of its blocks in the prefix cache, and the node at their end. */
  numRemembered = 0;
  cacheNode: CacheNode;
  /** Its slot for states of fixed size, after `numComputed` tokens. */
  state: number | undefined;
  /** Slots that hold the states at ends of blocks that are not cached yet, by the number of the block. */
  readonly pending = new Map<number, number>();
  /** The newest checkpoint in its answer. */
  answerCheckpoint: CacheNode | undefined;
  #isHeld = false;
  /** Tokens of the prompt that the cache had at its first run, until they are reported. */
  numCached: number | undefined;

  /** `emitted`: completion tokens that an earlier engine has already given out. */
  constructor(id: number, request: GenerateRequest, emitted: readonly number[], surroundings: Surroundings) {
    this.id = id;
    this.request = request;
    this.tokenIds = [...request.promptTokenIds, ...emitted];
    this.rowKeys = request.media === undefined ? this.tokenIds : surroundings.rowKeys.of(this.tokenIds, request.media);
    this.promptLength = request.promptTokenIds.length;
    this.randomKey = randomKey(request.sampling.seed);
    this.stopTokenIds = new Set(request.ignoreStop ? [] : request.stopTokenIds);
    this.sampling = resolveSampling(request.sampling);
    this.breakers = new Set(this.sampling.dry.breakerIds);
    this.#vocabSize = surroundings.vocabSize;
    this.constraint = request.constraint && createConstraint(request.constraint, surroundings);
    for (const tokenId of emitted) this.constraint?.advance(tokenId);
    this.pool = request.pooling === 'mean' ? new MeanPool() : undefined;
    this.caller = request.caller ?? NO_CALLER;
    this.cacheRoot = rootOf(request.cacheScope);
    this.cacheNode = this.cacheRoot;
    this.priority = request.priority ?? 0;
    this.deadlineMs = surroundings.nowMs + (request.deadlineMs ?? Infinity);
  }

  /** All its tokens: prompt and completion. */
  get numTokens(): number {
    return this.tokenIds.length;
  }

  /** Completion tokens so far: also the position of the next one in the random stream. */
  get numGenerated(): number {
    return this.tokenIds.length - this.promptLength;
  }

  /** The media item that the row at `position` belongs to. */
  mediaAt(position: number): MediaItem | undefined {
    return this.request.media?.find(({ at, rows }) => position >= at && position < at + rows);
  }

  /** Tokens that must go through the model before the next can be sampled. */
  get numPending(): number {
    return this.tokenIds.length - this.numComputed;
  }

  /** Tokens that come next without being sampled. With logprobs every token is sampled, since each needs its own logits. */
  get forced(): readonly number[] {
    return (this.request.logprobs === undefined && this.constraint?.forced) || [];
  }

  /** Whether the hidden states of all its tokens are pooled: its end. */
  get isPooled(): boolean {
    return this.pool?.count === this.promptLength;
  }

  /** Its first tokens that may come from the cache: only their keys and values are needed. */
  get numReusable(): number {
    return this.pool?.count ?? this.tokenIds.length - 1;
  }

  /** Tokens that need space for its admission: all it has, and one more if that will be sampled. */
  get numToHold(): number {
    return this.tokenIds.length + (this.pool === undefined ? 1 : 0);
  }

  /** Leaves it out of steps until its mask is ready; then its last token is computed again. */
  hold(): void {
    this.#isHeld = true;
    this.numComputed = this.tokenIds.length - 1;
  }

  /** Whether it waits for a mask. */
  get isHeld(): boolean {
    return this.#isHeld && this.constraint?.isReady === false;
  }

  /** Appends the next token; returns why the sequence ends, if it does. A stop id is not appended. */
  append(tokenId: number, contextLength: number): FinishReason | undefined {
    this.#isHeld = false;
    if (this.stopTokenIds.has(tokenId)) return 'stop';
    this.tokenIds.push(tokenId);
    if (this.rowKeys !== this.tokenIds) this.rowKeys.push(tokenId);
    this.constraint?.advance(tokenId);
    if (this.constraint?.ended === true) return 'constraint';
    const full = this.numGenerated >= this.request.maxTokens || this.tokenIds.length >= contextLength;
    return full || this.#isEndless ? 'length' : undefined;
  }

  /** Whether it repeats itself without end, against its request and constraint. */
  get #isEndless(): boolean {
    const { mayRepeat, ignoreStop } = this.request;
    if (mayRepeat === true || ignoreStop || this.numGenerated <= this.sampling.minTokens) return false;
    return isEndless(this.tokenIds, this.promptLength) && leavesFree(this.constraint, this.#vocabSize);
  }
}

/**
 * The mean of a sequence's hidden states, summed in f64 in order of position. So its bits depend on the tokens alone,
 * not on their chunks. It outlives the sequence's blocks; states that are computed again after a preemption are the
 * same and not counted twice.
 */
class MeanPool {
  #sum: Float64Array | undefined;
  #count = 0;

  /** Tokens so far: the first ones of the sequence. */
  get count(): number {
    return this.#count;
  }

  /** hidden: f32 [hiddenSize] of the token at `position`: the next one, or one that is already counted. */
  add(position: number, hidden: Float32Array): void {
    if (position < this.#count) return;
    assert(position === this.#count, 'hidden states come in order');
    const sum = (this.#sum ??= new Float64Array(hidden.length));
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (hidden[i] as number);
    this.#count++;
  }

  /** f32 [hiddenSize] */
  mean(): Float32Array {
    return Float32Array.from(this.#sum ?? [], (sum) => sum / this.#count);
  }
}
