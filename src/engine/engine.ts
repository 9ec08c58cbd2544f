/**
 * The spine: schedule → run → sample → update. A plain synchronous object; `engine-actor.ts` is the thin shell that
 * gives it a thread, a mailbox and a ring.
 */

import { AppError, present } from '../base/index.js';
import type { Device } from '../compute/index.js';
import { BlockPool } from './block-pool.js';
import type { FinishReason, GenerateRequest } from './request.js';
import { Runner } from './runner.js';
import { TokenSampler } from './sampler.js';
import { samplers } from './samplers/index.js';
import { blocksFor, Scheduler, type SchedulerLimits } from './scheduler.js';
import { Sequence } from './sequence.js';

/** What one step did for one sequence. `tokenId` is absent when a stop id ended it. */
export interface StepOutput {
  readonly sequenceId: number;
  readonly tokenId?: number;
  readonly finishReason?: FinishReason;
  readonly error?: AppError;
}

/** Gauges of one engine. */
export interface EngineStats {
  readonly running: number;
  readonly waiting: number;
  readonly freeBlocks: number;
  readonly blocks: number;
}

/** All conversations of one model. */
export class Engine {
  readonly contextLength: number;
  readonly #vocabSize: number;
  readonly #pool: BlockPool;
  readonly #scheduler: Scheduler;
  readonly #runner: Runner;
  readonly #sampler: TokenSampler;
  readonly #sequences = new Map<number, Sequence>();
  readonly #maxLogitRows: number;

  constructor(device: Device, options: { contextLength: number; vocabSize: number; limits: SchedulerLimits }) {
    this.contextLength = options.contextLength;
    this.#vocabSize = options.vocabSize;
    this.#pool = new BlockPool(device.plan.capacity.kvBlocks);
    this.#scheduler = new Scheduler(options.limits, this.#pool);
    this.#runner = new Runner(device);
    this.#sampler = new TokenSampler(samplers, options.vocabSize);
    this.#maxLogitRows = Math.min(device.plan.capacity.maxSequences, device.plan.capacity.maxRows);
  }

  get hasWork(): boolean {
    return this.#sequences.size > 0;
  }

  get stats(): EngineStats {
    return {
      running: this.#scheduler.numRunning,
      waiting: this.#scheduler.numWaiting,
      freeBlocks: this.#pool.numFree,
      blocks: this.#pool.size,
    };
  }

  /** Takes a request in; `emitted` are completion tokens that an earlier life gave out. Errors: `overloaded`. */
  add(id: number, request: GenerateRequest, emitted: readonly number[]): void {
    const sequence = new Sequence(id, request, emitted);
    this.#scheduler.add(sequence);
    this.#sequences.set(id, sequence);
  }

  /** Ends a sequence at once; unknown ids are ignored, because it may just have ended by itself. */
  cancel(id: number): void {
    const sequence = this.#sequences.get(id);
    if (sequence === undefined) return;
    this.#scheduler.remove(sequence);
    this.#sequences.delete(id);
  }

  /** One pass over the batch. Appends what came of it to `outputs`. */
  step(outputs: StepOutput[]): void {
    const scheduled = this.#scheduler.schedule();
    if (scheduled.length === 0) return;
    const ready = this.#runner.run(scheduled);
    ready.forEach((sequence, index) => outputs.push(this.#update(sequence, this.#runner.logits(index))));
  }

  #update(sequence: Sequence, logits: Float32Array): StepOutput {
    const { id, request } = sequence;
    let tokenId: number;
    try {
      tokenId = this.#sampler.sample(logits, request.sampling, sequence.randomKey, sequence.numGenerated);
    } catch (error) {
      // Broken numbers are this sequence's end, not the engine's.
      if (!(error instanceof AppError) || error.code !== 'numeric_failure') throw error;
      this.cancel(id);
      return { sequenceId: id, error };
    }
    const finishReason = sequence.append(tokenId, this.contextLength);
    if (finishReason !== undefined) this.cancel(id);
    return {
      sequenceId: id,
      ...(finishReason !== 'stop' && { tokenId }),
      ...(finishReason !== undefined && { finishReason }),
    };
  }

  /** Logits of every token of a prompt, f32 [numTokens, vocabSize]. Errors: `overloaded` when the cache has no room now. */
  forward(tokenIds: readonly number[]): Float32Array<ArrayBuffer> {
    const needed = blocksFor(tokenIds.length);
    if (needed > this.#pool.numFree) {
      throw new AppError(
        'overloaded',
        `the KV cache has ${this.#pool.numFree} free blocks and this prompt needs ${needed}`,
        {
          needed,
        },
      );
    }
    const sequence = new Sequence(0, scoring(tokenIds), []);
    for (let i = 0; i < needed; i++) sequence.blocks.push(present(this.#pool.take(), 'counted as free'));
    try {
      const logits = new Float32Array(tokenIds.length * this.#vocabSize);
      while (sequence.numPending > 0) {
        const first = sequence.numComputed;
        const count = Math.min(sequence.numPending, this.#maxLogitRows);
        this.#runner.score(sequence, count);
        for (let i = 0; i < count; i++) logits.set(this.#runner.logits(i), (first + i) * this.#vocabSize);
      }
      return logits;
    } finally {
      this.#pool.free(sequence.blocks);
    }
  }
}

function scoring(promptTokenIds: readonly number[]): GenerateRequest {
  const sampling = { temperature: 0, topP: 1, topK: 0, minP: 0, seed: 0 };
  return { promptTokenIds, maxTokens: 1, sampling, stopTokenIds: [], ignoreStop: true };
}
