import {
  Actor,
  actorKey,
  openProducer,
  type ActorContext,
  type RingHandle,
  type RingProducer,
} from '../actor/index.js';
import { isAppError, locate, systemClock } from '../base/index.js';
import { openDevice, type Device, type DeviceInit } from '../compute/index.js';
import { lazyEncoder, openVocabulary } from '../grammar/index.js';
import { Engine, type EngineStats } from './engine.js';
import { encodeOutput, maxOutputBytes } from './client/output-record.js';
import type { GenerateRequest } from './request.js';
import type { SchedulerLimits } from './scheduling/scheduler.js';
import type { StepOutput } from './step-output.js';
import type { MaskRings } from './masks/mask-thread.js';
import { ThreadMasks } from './masks/thread-masks.js';
import { WorkRecord } from './client/work-record.js';

/** Where this actor's class is imported from, at whichever placement. Errors: `package_not_found`. */
export function engineActorModule(): URL {
  return locate('dist/src/engine/engine-actor.js');
}

/** The engine in the tree. */
export const engineKey = actorKey<EngineActor>('engine');

/** What an engine is made from: its device, its limits, and the ring that takes its tokens away. */
export interface EngineInit {
  readonly device: DeviceInit;
  readonly vocabSize: number;
  readonly hiddenSize: number;
  /** What `toBytes` of the vocabulary gave, in shared memory; without it no constraint may be a grammar. */
  readonly vocabulary?: Uint8Array | undefined;
  /** To the thread that makes masks of the vocabulary; absent where there is none, and they are made as they are used. */
  readonly masks?: MaskRings | undefined;
  /** The compiled tokenizer, with which forced text becomes tokens. */
  readonly tokenizer?: Uint8Array | undefined;
  readonly contextLength: number;
  readonly limits: SchedulerLimits;
  readonly speculation: boolean;
  readonly outputs: RingHandle;
  /** Where it says what it works on (`createWorkMemory`). */
  readonly work: SharedArrayBuffer;
}

/**
 * Steps shorter than this share one turn of the event loop and one wake-up of their reader, whose cost a tiny model would
 * feel in each token: on two cores the reader runs where a compute thread wants to. First and last tokens do not wait for
 * it, nor do their readers, who may live in this thread.
 */
const HEAR_EVERY_MS = 2;

/**
 * After a step the device rests for this part of its time where it has all cores: whoever reads the tokens runs on one of
 * them, and a system that gives a thread 3 or 4 ms before another's turn lets it wait as long, so that some tokens would
 * come late (bench/LOG.md, 2026-11-22). A moment is enough for a reader who has read before: from steps of 20 ms on. A
 * sequence's first token goes through more hands before it is seen, all of them cold: 2 %, and 1 ms at most. Shorter rests than `leastMs` are left
 * out: Linux adds 0.05 ms to each.
 */
const REST = {
  first: { ratio: 1 / 50, leastMs: 0.1, mostMs: 1 },
  later: { ratio: 1 / 500, leastMs: 0.04, mostMs: 0.05 },
} as const;

/** The engine's shell: a mailbox for requests, a loop of steps, a ring for tokens. Between steps it hears messages. */
export class EngineActor extends Actor {
  readonly #device: Device;
  readonly #engine: Engine;
  readonly #outputs: RingProducer;
  readonly #work: WorkRecord;
  readonly #record: Uint8Array;
  /** What it sleeps on while it rests; absent where cores are left for others. */
  readonly #rest: Int32Array | undefined;
  #wake: (() => void) | undefined;
  #stopped = false;

  constructor(init: EngineInit) {
    super();
    const { vocabSize, hiddenSize, contextLength, limits, speculation } = init;
    this.#work = new WorkRecord(init.work);
    this.#device = openDevice(init.device, () => this.#work.beat());
    const masks = init.masks && new ThreadMasks(init.masks);
    const encode = init.tokenizer && lazyEncoder(init.tokenizer);
    const vocabulary = init.vocabulary && openVocabulary(init.vocabulary, { encode, maker: masks });
    const settings = { contextLength, vocabSize, vocabulary, masks, limits, speculation, work: this.#work };
    this.#engine = new Engine(this.#device, settings);
    this.#record = new Uint8Array(maxOutputBytes(hiddenSize));
    this.#outputs = openProducer(init.outputs);
    this.#outputs.hold(false);
    this.#rest = this.#device.takesAllCores ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
  }

  override started(context: ActorContext): void {
    // Stopped, or torn down without a word: an inline engine would go on computing beside the one after it.
    context.signal.addEventListener('abort', () => this.#stop(), { once: true });
    this.#run().catch((thrown: unknown) => context.crash(thrown));
  }

  /** The loop; ends when the actor is stopped. What it throws is the engine's crash. */
  async #run(): Promise<void> {
    // Before anything awaits, so that it is over when this actor counts as started: later children would disturb it.
    if (!compute(() => this.#device.calibrate?.())) return;
    const outputs: StepOutput[] = [];
    let heardMs = systemClock.nowMs();
    while (!this.#stopped) {
      if (!this.#engine.hasWork) {
        await this.#untilWoken();
        continue;
      }
      const startMs = systemClock.nowMs();
      if (!compute(() => this.#engine.step(outputs))) return;
      const stepMs = systemClock.nowMs() - startMs;
      const isFirst = outputs.some(({ cachedTokens }) => cachedTokens !== undefined);
      const isUrgent = isFirst || outputs.some(({ tokenId }) => tokenId === undefined);
      const isRead = outputs.length > 0;
      for (const output of outputs) {
        // A reader a whole ring behind holds the engine up.
        while (!this.#publish(output)) await this.#outputs.wait();
      }
      outputs.length = 0;
      const isDue = isUrgent || !this.#engine.hasWork || systemClock.nowMs() - heardMs >= HEAR_EVERY_MS;
      if (isDue) this.#outputs.wake();
      const { ratio, leastMs, mostMs } = isFirst ? REST.first : REST.later;
      const restMs = stepMs * ratio;
      if (isRead && restMs >= leastMs && this.#rest) Atomics.wait(this.#rest, 0, 0, Math.min(mostMs, restMs));
      if (!isDue) continue;
      await nextTurn();
      heardMs = systemClock.nowMs();
    }
  }

  /** Takes a request in. Errors: `overloaded`. */
  async submit(id: number, request: GenerateRequest, emitted: readonly number[]): Promise<void> {
    this.#engine.add(id, request, emitted);
    this.#wake?.();
  }

  /** Ends a sequence before the next step. */
  async cancel(id: number): Promise<void> {
    this.#engine.cancel(id);
  }

  /** Logits of every token, f32 [numTokens, vocabSize], unless `signal` aborts between two parts of them. */
  async forward(id: number, tokenIds: readonly number[], signal?: AbortSignal): Promise<Float32Array> {
    const parts = this.#engine.forward(tokenIds);
    for (;;) {
      this.#work.begin([{ id, numTokens: tokenIds.length }]);
      const { done, value } = parts.next();
      this.#work.end();
      if (done === true) return value;
      await nextTurn();
      // Thrown where they are made, so that their blocks go back.
      if (signal?.aborted === true) parts.throw(signal.reason);
    }
  }

  async stats(): Promise<EngineStats> {
    return this.#engine.stats;
  }

  #stop(): void {
    this.#stopped = true;
    this.#wake?.();
    this.#outputs.close();
  }

  /** Whether `output` need not be tried again: it is in the ring, or a ring that is closed has a new one after it. */
  #publish(output: StepOutput): boolean {
    if (this.#stopped || this.#outputs.closed) return true;
    if (this.#outputs.tryWrite(encodeOutput(output, this.#record), false)) return true;
    this.#outputs.wake();
    return false;
  }

  async #untilWoken(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }
}

/** Messages are heard, and whoever else computes here has its turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Lets the device compute; false when it was stopped meanwhile, and so is wanted no more. */
function compute(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (isAppError(error) && error.code === 'compute_stopped') return false;
    throw error;
  }
}
