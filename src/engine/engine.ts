/**
 * The spine: schedule → run → sample → update. A plain synchronous object; `engine-actor.ts` is the thin shell that
 * gives it a thread, a mailbox and a ring.
 */

import { AppError, assert, type Clock, isAppError, present, systemClock } from '../base/index.js';
import type { Device } from '../compute/index.js';
import type { GrammarVocabulary } from '../grammar/index.js';
import { KvCache, type KvCacheStats } from './cache/kv-cache.js';
import { StateSlots } from './cache/state-slots.js';
import { scoring, type FinishReason, type GenerateRequest } from './request.js';
import { RowKeys } from './media/row-keys.js';
import { Towers } from './media/towers.js';
import { Runner, type ReadySequence } from './runner.js';
import { TokenSampler } from './sampling/token-sampler.js';
import { samplers } from './sampling/samplers/index.js';
import { MaskWait, type MaskStats } from './masks/mask-wait.js';
import type { MasksBeside } from './masks/thread-masks.js';
import { Scheduler, type Drafter, type SchedulerLimits } from './scheduling/scheduler.js';
import { Sequence, type Surroundings } from './sequence.js';
import { Speculation, type SpeculationStats } from './speculation/speculation.js';
import { StepMeter, type PaceStats } from './scheduling/step-meter.js';
import type { StepOutput } from './step-output.js';
import type { WorkRecord } from './client/work-record.js';

/** Gauges of one engine. */
export interface EngineStats extends KvCacheStats, SpeculationStats, PaceStats, MaskStats {
  /** Sequences that run. */
  readonly running: number;
  /** Sequences that wait to be admitted. */
  readonly waiting: number;
}

/** Settings of an engine. */
export interface EngineSettings {
  readonly contextLength: number;
  readonly vocabSize: number;
  /** The tokens' bytes; without them no constraint may be a grammar. */
  readonly vocabulary?: GrammarVocabulary | undefined;
  /** Makes the masks of the vocabulary beside the steps; absent: masks are made when tokens are sampled. */
  readonly masks?: MasksBeside | undefined;
  readonly limits: SchedulerLimits;
  /** Speculative decoding when one sequence runs alone. Default true. */
  readonly speculation?: boolean;
  readonly clock?: Clock;
  /** The devices of towers, by name. */
  readonly towers?: ReadonlyMap<string, Device>;
  /** Record of the engine's present work. */
  readonly work?: WorkRecord | undefined;
}

/** Rows of a `forward` between two steps of others: about the time of one such step. */
const ROWS_BESIDE = 8;

/** All conversations of one model. */
export class EngineCore {
  readonly contextLength: number;
  readonly #vocabSize: number;
  readonly #vocabulary: GrammarVocabulary | undefined;
  readonly #cache: KvCache;
  readonly #scheduler: Scheduler;
  readonly #runner: Runner;
  readonly #sampler: TokenSampler;
  readonly #speculation: Speculation;
  readonly #meter = new StepMeter();
  readonly #masks: MaskWait;
  readonly #clock: Clock;
  readonly #work: WorkRecord | undefined;
  readonly #drafter: Drafter;
  readonly #rowKeys = new RowKeys();
  readonly #sequences = new Map<number, Sequence>();
  readonly #maxLogitRows: number;

  constructor(
    device: Device,
    {
      contextLength,
      vocabSize,
      vocabulary,
      masks,
      limits,
      speculation = true,
      clock = systemClock,
      towers = new Map(),
      work,
    }: EngineSettings,
  ) {
    this.contextLength = contextLength;
    this.#vocabSize = vocabSize;
    this.#vocabulary = vocabulary;
    this.#clock = clock;
    this.#work = work;
    // A state cannot go back: neither behind drafts that were wrong, nor by a token whose mask was late.
    const { kvBlocks, windows = [], stateSlots, maxRows } = device.capacity;
    const goesBack = stateSlots === 0;
    const states = goesBack ? undefined : new StateSlots(stateSlots, (from, to) => device.copyState(from, to));
    this.#masks = new MaskWait(masks, clock, goesBack);
    const copyBlock = (from: number, to: number, pool: number): void => device.copyBlock(from, to, pool);
    this.#cache = new KvCache(kvBlocks, copyBlock, { states, windows, maxRows });
    this.#scheduler = new Scheduler(limits, this.#cache);
    this.#runner = new Runner(device, this.#cache, new Towers(towers));
    this.#sampler = new TokenSampler(samplers, device.row);
    this.#speculation = new Speculation();
    this.#drafter = speculation && goesBack ? (sequence) => this.#draft(sequence) : () => [];
    this.#maxLogitRows = Math.min(device.capacity.maxSequences, device.capacity.maxRows);
  }

  get hasWork(): boolean {
    return this.#sequences.size > 0;
  }

  get stats(): EngineStats {
    const { numRunning: running, numWaiting: waiting } = this.#scheduler;
    const pace = this.#meter.stats(this.#clock.nowMs());
    return { running, waiting, ...this.#cache.stats, ...this.#speculation.stats, ...this.#masks.stats, ...pace };
  }

  get #surroundings(): Surroundings {
    return { vocabSize: this.#vocabSize, nowMs: this.#clock.nowMs(), rowKeys: this.#rowKeys };
  }

  /** Adds a request; `emitted` are completion tokens that an earlier engine gave out. Errors: `overloaded`. */
  add(id: number, request: GenerateRequest, emitted: readonly number[]): void {
    // Only a constraint's compilation could kill: recording other requests would make suspects of them when the thread
    // is ended here.
    const isWork = request.constraint !== undefined;
    if (isWork) this.#work?.begin([{ id, numTokens: request.promptTokenIds.length + emitted.length }]);
    const sequence = new Sequence(id, request, emitted, { ...this.#surroundings, vocabulary: this.#vocabulary });
    if (isWork) this.#work?.end();
    this.#scheduler.add(sequence);
    this.#sequences.set(id, sequence);
  }

  /** Ends a sequence at once; unknown ids are ignored, because it may have ended by itself. */
  cancel(id: number): void {
    const sequence = this.#sequences.get(id);
    if (sequence === undefined) return;
    this.#scheduler.remove(sequence);
    this.#sequences.delete(id);
  }

  /** One step over the batch. Appends its results to `outputs`. */
  step(outputs: StepOutput[]): void {
    this.#endExpired(outputs);
    this.#masks.poll();
    const startMs = this.#clock.nowMs();
    const scheduled = this.#scheduler.schedule(this.#drafter);
    const held = this.#scheduler.held();
    // The record stays when the engine dies or hangs on these sequences, or the making of their masks does.
    this.#work?.begin([...scheduled.map(({ sequence }) => sequence), ...held]);
    if (scheduled.length === 0) {
      if (held.length > 0) this.#masks.idle();
      return this.#work?.end();
    }
    // Masks are made beside the step that follows.
    for (const { sequence, drafts } of scheduled) sequence.constraint?.prepare?.(drafts);
    // Not part of the step's time, which the scheduler learns by its rows.
    this.#runner.encode(scheduled);
    const runMs = this.#clock.nowMs();
    const ready = this.#runner.run(scheduled);
    this.#scheduler.learn(scheduled, this.#clock.nowMs() - runMs);
    const numBefore = outputs.length;
    const waitedMs = this.#updateAll(ready, outputs);
    for (const { sequence } of scheduled) if (this.#sequences.has(sequence.id)) this.#cache.remember(sequence);
    const endMs = this.#clock.nowMs();
    const elapsedMs = endMs - startMs - waitedMs;
    const numTokens = outputs.slice(numBefore).filter(({ tokenId }) => tokenId !== undefined).length;
    this.#meter.record(endMs, elapsedMs, numTokens);
    for (const { sequence } of scheduled) if (sequence.isPooled) outputs.push(this.#endPooled(sequence));
    const [alone] = scheduled;
    // A row without logits costs less; its time is not comparable with rows that have them.
    if (scheduled.length === 1 && ready.length === 1 && alone?.count === 1) {
      this.#speculation.learnCost(1 + alone.drafts.length, elapsedMs);
    }
    this.#work?.end(elapsedMs);
  }

  /**
   * Updates sequences with a mask first. A late mask is waited for briefly; then its sequence leaves the steps until
   * the mask is ready, and the others go on. Returns the milliseconds of waiting.
   */
  #updateAll(ready: readonly ReadySequence[], outputs: StepOutput[]): number {
    this.#masks.poll();
    const late = ready.filter(({ sequence }) => !this.#masks.isThere(sequence));
    for (const one of ready) if (!late.includes(one)) this.#update(one, outputs);
    const waitedMs = this.#masks.waitFor(late.map(({ sequence }) => sequence));
    for (const one of late) this.#update(one, outputs);
    return waitedMs;
  }

  /**
   * Samples the next token, and goes on through the drafts while each equals the sampled token. Then come the
   * constraint's forced tokens, which go through the model with the next step.
   */
  #update({ sequence, drafts, firstLogits }: ReadySequence, outputs: StepOutput[]): void {
    let accepted = 0;
    for (;;) {
      if (this.#masks.holds(sequence)) break;
      const output = this.#next(sequence, firstLogits + accepted);
      outputs.push(output);
      if (output.finishReason !== undefined || output.error !== undefined) break;
      if (accepted === drafts.length || output.tokenId !== drafts[accepted]) {
        this.#appendForced(sequence, outputs);
        break;
      }
      accepted++;
      sequence.numComputed++;
    }
    this.#speculation.count(drafts.length, accepted);
  }

  /** One token of `sequence` from the logits of this index, or its end. */
  #next(sequence: Sequence, index: number): StepOutput {
    const { id, constraint } = sequence;
    if (constraint?.ended === true) return this.#ended(id, 'constraint');
    const { logprobs: numTop } = sequence.request;
    try {
      const tokenId = this.#runner.sample(index, this.#sampler.rule(sequence, constraint?.allowed));
      const logprobs =
        numTop === undefined ? undefined : this.#sampler.logprobs(this.#runner.logits(index), tokenId, numTop);
      const output = this.#append(sequence, tokenId);
      return logprobs === undefined || output.tokenId === undefined ? output : { ...output, logprobs };
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (error.code === 'numeric_failure') return this.#broken(sequence, error);
      if (error.code !== 'grammar_too_slow') throw error;
      this.cancel(id);
      return { sequenceId: id, error };
    }
  }

  /** Broken numbers end this sequence, not the engine, and are not cached for a later request. */
  #broken(sequence: Sequence, error: AppError): StepOutput {
    this.#cache.reject(sequence);
    this.cancel(sequence.id);
    return { sequenceId: sequence.id, error };
  }

  #appendForced(sequence: Sequence, outputs: StepOutput[]): void {
    for (const tokenId of sequence.forced) {
      const output = this.#append(sequence, tokenId);
      outputs.push(output);
      if (output.finishReason !== undefined) return;
    }
  }

  /** Appends a token; removes a sequence that ends with it. */
  #append(sequence: Sequence, tokenId: number): StepOutput {
    const { id, numCached, numGenerated, promptLength } = sequence;
    sequence.numCached = undefined;
    const finishReason = sequence.append(tokenId, this.contextLength);
    return {
      ...(finishReason === undefined ? { sequenceId: id } : this.#ended(id, finishReason)),
      ...(numCached !== undefined && { cachedTokens: Math.min(numCached, promptLength) }),
      ...(sequence.numGenerated > numGenerated && { tokenId }),
    };
  }

  #ended(id: number, finishReason: FinishReason): StepOutput {
    this.cancel(id);
    return { sequenceId: id, finishReason };
  }

  /** The end of a sequence whose hidden states are all in its mean. */
  #endPooled(sequence: Sequence): StepOutput {
    const embedding = present(sequence.pool, 'a pooled sequence has a pool').mean();
    if (embedding.every(Number.isFinite)) return { embedding, ...this.#ended(sequence.id, 'length') };
    return this.#broken(sequence, new AppError('numeric_failure', 'the hidden states of this sequence are not finite'));
  }

  /** Draft tokens that leave space for the token after them, in the context and in the request's limit. */
  #draft(sequence: Sequence): readonly number[] {
    const room = this.contextLength - sequence.tokenIds.length;
    const wanted = sequence.request.maxTokens - sequence.numGenerated;
    return this.#speculation.draft(sequence, Math.min(room, wanted) - 1);
  }

  #endExpired(outputs: StepOutput[]): void {
    for (const { id, request } of this.#scheduler.expired(this.#clock.nowMs())) {
      this.cancel(id);
      const message = `the sequence did not end within its deadline of ${String(request.deadlineMs)} ms`;
      outputs.push({ sequenceId: id, error: new AppError('deadline_exceeded', message) });
    }
  }

  /**
   * Logits of every token of a prompt, f32 [numTokens, vocabSize], in parts: between them other sequences have their
   * steps. Errors: `overloaded` when the cache has no space now.
   */
  forward(tokenIds: readonly number[]): Generator<undefined, Float32Array<ArrayBuffer>> {
    const sequence = new Sequence(0, scoring(tokenIds), [], this.#surroundings);
    const most = this.#maxLogitRows;
    const rows = (): number => (this.hasWork ? Math.min(ROWS_BESIDE, most) : most);
    return promptLogits(sequence, this.#runner, this.#cache, { vocabSize: this.#vocabSize, most, rows });
  }
}

/** Limits of one run. */
interface Limits {
  readonly vocabSize: number;
  /** Rows with logits in a run, at most and in the next one. */
  readonly most: number;
  readonly rows: () => number;
}

/**
 * Logits of every token of `sequence`, f32 [numTokens, vocabSize], in parts with a pause between; none of its blocks
 * stay in the cache. Errors: `overloaded` when the cache has no space now.
 */
function* promptLogits(
  sequence: Sequence,
  runner: Runner,
  cache: KvCache,
  { vocabSize, most, rows }: Limits,
): Generator<undefined, Float32Array<ArrayBuffer>> {
  const numTokens = sequence.tokenIds.length;
  if (!cache.reserve(sequence, numTokens, most)) {
    cache.drop(sequence);
    const { freeBlocks } = cache.stats;
    const message = `the KV cache has ${freeBlocks} free blocks, too few for a prompt of ${numTokens} tokens; try again later`;
    throw new AppError('overloaded', message, { freeBlocks });
  }
  try {
    const logits = new Float32Array(numTokens * vocabSize);
    for (;;) {
      const first = sequence.numComputed;
      const count = Math.min(sequence.numPending, rows());
      // Within what was reserved: blocks behind a window become those before it.
      assert(cache.reserve(sequence, count), 'a part of the prompt has its blocks');
      runner.score(sequence, count);
      for (let i = 0; i < count; i++) logits.set(runner.logits(i), (first + i) * vocabSize);
      if (sequence.numPending === 0) return logits;
      yield;
    }
  } finally {
    cache.drop(sequence);
  }
}
