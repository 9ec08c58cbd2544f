import {
  Actor,
  actorKey,
  openProducer,
  type ActorContext,
  type RingHandle,
  type RingProducer,
} from '../actor/index.js';
import { isAppError, locate, systemClock, usableCores } from '../base/index.js';
import { openDevice, type Device, type DeviceInit } from '../compute/index.js';
import { lazyEncoder, openVocabulary, type CompiledGrammar } from '../grammar/index.js';
import { EngineCore, type EngineStats } from './engine.js';
import { encodeOutput, maxOutputBytes } from './client/output-record.js';
import { joinRequest, KnownGrammars, type NamedRequest } from './known-grammars.js';
import type { SchedulerLimits } from './scheduling/scheduler.js';
import type { StepOutput } from './step-output.js';
import type { MaskRings } from './masks/mask-rings.js';
import { ThreadMasks } from './masks/thread-masks.js';
import { WorkRecord } from './client/work-record.js';

/** The module that exports this actor's class, for any placement. Errors: `package_not_found`. */
export function engineActorModule(): URL {
  return locate('dist/src/engine/engine-actor.js');
}

/** The engine in the tree. */
export const engineKey = actorKey<EngineActor>('engine');

/** The engine's device, its limits, and the ring for its tokens. */
export interface EngineInit {
  readonly device: DeviceInit;
  /** Of towers, by name. */
  readonly towers?: ReadonlyMap<string, DeviceInit>;
  readonly vocabSize: number;
  readonly hiddenSize: number;
  /** The result of the vocabulary's `toBytes`, in shared memory; without it no constraint may be a grammar. */
  readonly vocabulary?: Uint8Array | undefined;
  /** Rings of the thread that makes masks of the vocabulary; absent: masks are made at their use. */
  readonly masks?: MaskRings | undefined;
  /** The compiled tokenizer, which turns forced text into tokens. */
  readonly tokenizer?: Uint8Array | undefined;
  readonly contextLength: number;
  readonly limits: SchedulerLimits;
  readonly speculation: boolean;
  readonly outputs: RingHandle;
  /** Memory for its work record (`createWorkMemory`). */
  readonly work: SharedArrayBuffer;
}

/**
 * Steps shorter than this share one turn of the event loop and one wake-up of their reader. A tiny model would feel
 * that cost in each token: on two cores the reader runs where a compute thread wants to. First and last tokens do not
 * wait for it, nor do their readers, which may run in this thread.
 */
const HEAR_EVERY_MS = 2;

/**
 * After a step on all cores the device rests for this part of its time, because the tokens' reader needs a core too.
 * Some systems give a thread 3 or 4 ms before another's turn. The reader then waits as long, and some tokens would come
 * late (bench/log/scheduling.md). A reader that has read before needs only a moment: from steps of 20 ms on. A
 * sequence's first token passes through more threads, all of them cold: 2 %, and 1 ms at most. Rests below `leastMs`
 * are left out: Linux adds 0.05 ms to each.
 */
const REST = {
  first: { ratio: 1 / 50, leastMs: 0.1, mostMs: 1 },
  later: { ratio: 1 / 500, leastMs: 0.04, mostMs: 0.05 },
} as const;

/** The engine's shell: a mailbox for requests, a loop of steps, a ring for tokens. It handles messages between steps. */
export class EngineActor extends Actor {
  readonly #device: Device;
  readonly #engine: EngineCore;
  readonly #outputs: RingProducer;
  readonly #work: WorkRecord;
  readonly #record: Uint8Array;
  readonly #grammars = new KnownGrammars();
  /** The word that it waits on during a rest; absent where cores are free for others. */
  readonly #rest: Int32Array | undefined;
  #wake: (() => void) | undefined;
  #stopped = false;

  constructor(init: EngineInit) {
    super();
    const { vocabSize, hiddenSize, contextLength, limits, speculation } = init;
    this.#work = new WorkRecord(init.work);
    const open = (device: DeviceInit): Device => openDevice(device, () => this.#work.beat());
    this.#device = open(init.device);
    const towers = new Map(Array.from(init.towers ?? [], ([name, device]) => [name, open(device)]));
    const masks = init.masks && new ThreadMasks(init.masks);
    const encode = init.tokenizer && lazyEncoder(init.tokenizer);
    const vocabulary = init.vocabulary && openVocabulary(init.vocabulary, { encode, maker: masks });
    const settings = { contextLength, vocabSize, vocabulary, masks, limits, speculation, towers, work: this.#work };
    this.#engine = new EngineCore(this.#device, settings);
    this.#record = new Uint8Array(maxOutputBytes(hiddenSize));
    this.#outputs = openProducer(init.outputs);
    this.#outputs.hold(false);
    const takesAllCores = this.#device.hostThreads >= usableCores();
    this.#rest = takesAllCores ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
  }

  override started(context: ActorContext): void {
    // Stopped or torn down: an inline engine would otherwise go on computing beside its successor.
    context.signal.addEventListener('abort', () => this.#stop(), { once: true });
    this.#run().catch((thrown: unknown) => {
      this.#work.keep();
      context.crash(thrown);
    });
  }

  /** The loop; ends when the actor is stopped. Its exception is the engine's crash. */
  async #run(): Promise<void> {
    // Runs before the first await, so that it ends before this actor counts as started: later children would disturb
    // it.
    if (!compute(() => this.#device.calibrate?.())) return;
    const outputs: StepOutput[] = [];
    let heardMs = systemClock.nowMs();
    while (!this.#stopped) {
      if (!this.#engine.hasWork) {
        await this.#untilWoken();
        continue;
      }
      const startMs = systemClock.nowMs();
      if (!compute(() => this.#engine.step(outputs))) return this.#work.keep();
      const stepMs = systemClock.nowMs() - startMs;
      const isFirst = outputs.some(({ cachedTokens }) => cachedTokens !== undefined);
      const isUrgent = isFirst || outputs.some(({ tokenId }) => tokenId === undefined);
      const isRead = outputs.length > 0;
      for (const output of outputs) {
        // A reader that is a whole ring behind makes the engine wait.
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

  /**
   * Adds a request; `grammar` is what its constraint names, where this engine has not had that. False, and nothing is
   * added, where the named grammar is not known. Errors: `overloaded`.
   */
  async submit(
    id: number,
    request: NamedRequest,
    emitted: readonly number[],
    grammar?: CompiledGrammar,
  ): Promise<boolean> {
    const whole = joinRequest(request, grammar, this.#grammars);
    if (whole === undefined) return false;
    this.#survived(() => this.#engine.add(id, whole, emitted));
    this.#wake?.();
    return true;
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
      const { done, value } = this.#survived(() => parts.next());
      this.#work.end();
      if (done === true) return value;
      await nextTurn();
      // Thrown inside the generator, so that it releases its blocks.
      if (signal?.aborted === true) parts.throw(signal.reason);
    }
  }

  async stats(): Promise<EngineStats> {
    return this.#engine.stats;
  }

  /** Work of a call. An unexpected exception ends this engine: the record shows what it died of. */
  #survived<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isAppError(error) || error.code === 'compute_stopped') this.#work.keep();
      throw error;
    }
  }

  #stop(): void {
    this.#stopped = true;
    this.#wake?.();
    this.#outputs.close();
  }

  /** Whether `output` is done: it is in the ring, or its ring is closed and a new one follows. */
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

/** Lets this thread handle messages, and other work on it run. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Lets the device compute; false when it was stopped meanwhile, so the result is not wanted. */
function compute(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (isAppError(error) && error.code === 'compute_stopped') return false;
    throw error;
  }
}
