/**
 * The engine's client, on its callers' side of the threads. Requests and their outputs live here, so a sequence
 * outlives its engine: a new engine gets the request and the tokens so far, and goes on with the same tokens.
 */

import { isLost, withOptions, type Ref, type RingHandle } from '../../actor/index.js';
import { AppError, isAppError, present, systemClock, type Clock } from '../../base/index.js';
import type { EngineActor } from '../engine-actor.js';
import type { EngineStats } from '../engine.js';
import { InFlightRequest } from './in-flight-request.js';
import { Deliveries } from './deliveries.js';
import { ForwardCall } from './forward-call.js';
import { engineHung, requestPoisonous, tooManyLogits } from './client-errors.js';
import { OutputReader } from './output-reader.js';
import type { OutputRecord } from './output-record.js';
import { PoisonSearch } from './poison-search.js';
import { checkForward, checkRequest, type Limits } from '../request-check.js';
import { scoring, type EmbedRequest, type GenerateRequest, type Generator, type SequenceOutput } from '../request.js';
import { Watchdog } from './watchdog.js';
import { createWorkMemory, WorkRecord } from './work-record.js';

/** Limit of one `forward` call's logits, which are cloned between threads. */
const MAX_FORWARD_FLOATS = 1 << 28;

/** How a hung engine is detected and ended. */
export interface HangWatch {
  /** See `WatchdogOptions`. Infinity: never. */
  readonly timeoutMs: number;
  /** Ends the engine. */
  readonly kill: (reason: AppError) => void;
  readonly clock?: Clock | undefined;
}

/** The client of one model's engine. `attach` must give it the engine's ref before the first call. */
export class EngineClient implements Generator {
  readonly contextLength: number;
  readonly #vocabSize: number;
  readonly #limits: Limits;
  readonly #inFlight = new Map<number, InFlightRequest>();
  #ref: Ref<EngineActor> | undefined;
  readonly #outputs = new OutputReader((record) => this.#receive(record));
  readonly #deliveries = new Deliveries(systemClock);
  /** Whether the present engine has the requests under way. */
  #isAttached = false;
  readonly #forwards = new Map<number, ForwardCall>();
  readonly #search = new PoisonSearch<InFlightRequest | ForwardCall>();
  #work: WorkRecord | undefined;
  #workMemory: SharedArrayBuffer | undefined;
  #watchdog: Watchdog | undefined;
  #lastId = 0;
  #closed: AppError | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.contextLength = limits.contextLength;
    this.#vocabSize = limits.vocabSize;
  }

  /**
   * A new ring for a new engine; the old ring's last tokens are dropped and computed again. Until `attach`, no request
   * is submitted: a request between the engine's start and `attach` would be submitted twice. `maxRecordBytes`: the
   * engine's longest record.
   */
  openRing(maxRecordBytes: number): RingHandle {
    this.#isAttached = false;
    for (const inFlight of this.#inFlight.values()) inFlight.takeBack();
    const handle = this.#outputs.open(maxRecordBytes);
    this.#holdWhileBusy();
    return handle;
  }

  /** Memory in which the next engine records its work, at most `maxSequences` at a time; the same for each engine. */
  openWork(maxSequences: number): SharedArrayBuffer {
    this.#workMemory ??= createWorkMemory(maxSequences);
    this.#work ??= new WorkRecord(this.#workMemory);
    this.#work.clear();
    return this.#workMemory;
  }

  /** The engine runs, for the first time or again: submits the requests under way. */
  attach(ref: Ref<EngineActor>): void {
    this.#ref = ref;
    this.#isAttached = true;
    this.#submitAll();
    this.#watchdog?.wake();
  }

  /** From now on a hung engine is detected and ended. */
  watch({ timeoutMs, kill, clock }: HangWatch): void {
    this.#watchdog?.stop();
    this.#watchdog = new Watchdog({
      timeoutMs,
      clock,
      beats: () => this.#work?.beats ?? 0,
      medianStepMs: () => this.#work?.medianStepMs ?? 0,
      isAwaited: () => this.#isAttached && this.#closed === undefined && this.#hasWork(),
      onHung: (silentMs) => kill(engineHung(silentMs)),
    });
    this.#watchdog.wake();
  }

  /**
   * A thread of the engine died of `error`. Returns whether a request explains the death, so that it does not count
   * against the engine. Such a request ends, or a search among the requests of that step begins.
   */
  explains(error: AppError): boolean {
    // An operator or a test killed it: no request caused it.
    if (error.code === 'actor_killed') return false;
    const underWay = this.#work?.underWay ?? [];
    this.#work?.clear();
    const { guilty, isExplained } = this.#search.died(
      underWay,
      (id) => this.#inFlight.get(id) ?? this.#forwards.get(id),
    );
    guilty?.request.fail(requestPoisonous(guilty.deaths, error));
    return isExplained;
  }

  /** No engine follows: every caller gets `reason`. */
  close(reason: AppError): void {
    this.#closed ??= reason;
    this.#watchdog?.stop();
    this.#outputs.close();
    for (const inFlight of this.#inFlight.values()) inFlight.fail(reason);
    this.#inFlight.clear();
  }

  /** The cause of a failed call: once the model is closed, lost actors are only a symptom. */
  reasonOf(thrown: unknown): unknown {
    return this.#closed !== undefined && isLost(thrown) ? this.#closed : thrown;
  }

  /**
   * Generates. Errors: `invalid_value`, `context_length_exceeded`, `overloaded`, `numeric_failure`, `grammar_too_slow`,
   * `request_poisonous`, `engine_restarted`, `engine_closed`.
   */
  async *generate(request: GenerateRequest, signal?: AbortSignal): AsyncGenerator<SequenceOutput> {
    checkRequest(request, this.#limits);
    signal?.throwIfAborted();
    if (this.#closed !== undefined) throw this.#closed;
    const inFlight = this.#take(request);
    // Cancel at once: the consumer may not call `next()` for a long time.
    const onAbort = (): void => {
      this.#abandon(inFlight);
      inFlight.fail(signal?.reason as Error);
      this.#passOn(inFlight);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      void this.#submit(inFlight);
      for (;;) {
        const output = await inFlight.next();
        yield output;
        if (output.finishReason !== undefined) return;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#abandon(inFlight);
      this.#inFlight.delete(inFlight.id);
      this.#holdWhileBusy();
      this.#passOn(inFlight);
    }
  }

  /** Mean over the prompt's tokens of the hidden state after the final norm, f32 [hiddenSize]. Errors: as `generate`. */
  async embed(request: EmbedRequest, signal?: AbortSignal): Promise<Float32Array> {
    let embedding: Float32Array | undefined;
    const pooling = { ...scoring(request.promptTokenIds), ...request, pooling: 'mean' as const };
    for await (const output of this.generate(pooling, signal)) embedding = output.embedding;
    return present(embedding, 'a pooled sequence ends with its mean');
  }

  /** Logits of every token of `tokenIds`, f32 [numTokens, vocabSize]. Errors as `generate`. */
  async forward(tokenIds: readonly number[], signal?: AbortSignal): Promise<Float32Array> {
    if (this.#closed !== undefined) throw this.#closed;
    checkForward(tokenIds, { contextLength: this.contextLength, vocabSize: this.#vocabSize }, 'tokenIds');
    if (tokenIds.length * this.#vocabSize > MAX_FORWARD_FLOATS) {
      throw tooManyLogits(tokenIds.length, Math.floor(MAX_FORWARD_FLOATS / this.#vocabSize));
    }
    const engine = this.#engine();
    const call = new ForwardCall(this.#newId(), tokenIds.length);
    this.#forwards.set(call.id, call);
    this.#watchdog?.wake();
    try {
      return await call.run((either) => {
        // The signal ends the wait for an engine that is down, and is passed to a computing one.
        const ref = withOptions(engine, { deadlineMs: Infinity, whenDown: 'wait', signal: either });
        return ref.forward(call.id, tokenIds, either);
      }, signal);
    } catch (thrown) {
      throw this.reasonOf(thrown);
    } finally {
      this.#forwards.delete(call.id);
    }
  }

  async stats(): Promise<EngineStats> {
    return this.#engine().stats();
  }

  #engine(): Ref<EngineActor> {
    if (this.#ref === undefined) throw new AppError('engine_closed', 'the engine has not started');
    return this.#ref;
  }

  #newId(): number {
    this.#lastId = (this.#lastId % 0x7fff_ffff) + 1;
    return this.#lastId;
  }

  #take(request: GenerateRequest): InFlightRequest {
    const inFlight = new InFlightRequest(this.#newId(), request, systemClock.nowMs());
    this.#inFlight.set(inFlight.id, inFlight);
    this.#holdWhileBusy();
    this.#watchdog?.wake();
    return inFlight;
  }

  /** A caller that waits for tokens keeps the process alive. */
  #holdWhileBusy(): void {
    this.#outputs.hold(this.#inFlight.size > 0);
  }

  /** Whether the engine has something to compute. */
  #hasWork(): boolean {
    if (this.#forwards.size > 0) return true;
    for (const inFlight of this.#inFlight.values()) if (inFlight.isGiven && !inFlight.isOver) return true;
    return false;
  }

  /** A request that is over stays until its caller has read it to its end. */
  #submitAll(): void {
    for (const inFlight of this.#inFlight.values()) void this.#submit(inFlight);
  }

  /** Submits it to the engine, unless the engine has it already, or a search of suspects holds it back. */
  async #submit(inFlight: InFlightRequest): Promise<void> {
    if (!this.#isAttached || inFlight.isGiven || inFlight.isOver || !this.#search.allows(inFlight)) return;
    const { trialTokens } = inFlight;
    // A trial that would fill the context is the whole request.
    const isPart = this.#search.isTried(inFlight) && trialTokens < this.contextLength;
    const request = inFlight.give(systemClock.nowMs(), isPart ? trialTokens : Infinity);
    try {
      await this.#engine().submit(inFlight.id, request, inFlight.tokenIds);
    } catch (error) {
      // The next engine gets it again.
      if (isLost(error)) return;
      const isFull = isAppError(error) && error.code === 'mailbox_full';
      inFlight.fail(isFull ? new AppError('overloaded', error.message, error.details) : (error as Error));
      this.#passOn(inFlight);
    }
  }

  /** It need not be tried any more: others may have waited for its trial. */
  #passOn(inFlight: InFlightRequest): void {
    if (!this.#search.isOn || !this.#search.drop(inFlight)) return;
    this.#submitAll();
  }

  /** Its caller wants no more of it. */
  #abandon(inFlight: InFlightRequest): void {
    if (!inFlight.isOver) this.#cancel(inFlight.id);
  }

  #cancel(id: number): void {
    if (this.#closed !== undefined) return;
    // A dead engine has nothing to cancel. One with a full mailbox gets the cancellation again when more tokens arrive.
    this.#engine()
      .cancel(id)
      .catch(() => {});
  }

  /** Handles a token or an end of one sequence from the engine. */
  #receive(record: OutputRecord): void {
    if (record.tokenId !== undefined) this.#search.progress();
    const inFlight = this.#inFlight.get(record.sequenceId);
    if (inFlight !== undefined && !inFlight.isOver) {
      if (inFlight.receive(record) || inFlight.isOver) this.#passOn(inFlight);
      this.#deliveries.push(inFlight);
    } else if (record.end === undefined) {
      // No caller waits for it, and the engine has not got its cancellation.
      this.#cancel(record.sequenceId);
    }
  }
}
