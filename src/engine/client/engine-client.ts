/**
 * The engine as its callers see it, on their side of the threads. What was asked and what has come back live here,
 * so that a sequence outlives the engine that computes it: a new engine is given the request and the tokens so far,
 * and goes on with the same tokens.
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

/** Logits of one `forward` call: what structured cloning between threads should carry at most. */
const MAX_FORWARD_FLOATS = 1 << 28;

/** How an engine that hangs is noticed and ended. */
export interface Watch {
  /** See `WatchdogOptions`. Infinity: never. */
  readonly timeoutMs: number;
  /** Ends the engine. */
  readonly kill: (reason: AppError) => void;
  readonly clock?: Clock | undefined;
}

/** One model's engine. Give it the engine's ref with `attach` before the first call. */
export class EngineClient implements Generator {
  readonly contextLength: number;
  readonly #vocabSize: number;
  readonly #limits: Limits;
  readonly #inFlight = new Map<number, InFlightRequest>();
  #ref: Ref<EngineActor> | undefined;
  readonly #outputs = new OutputReader((record) => this.#receive(record));
  readonly #deliveries = new Deliveries(systemClock);
  /** Whether the present engine has been given what is under way. */
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
   * A new ring for a new engine; the old one's last tokens are dropped and computed again. Until `attach`, nothing is
   * given to the engine: a request that came between its start and the news of it would be given to it twice.
   * `maxRecordBytes`: the longest record that the engine writes.
   */
  openRing(maxRecordBytes: number): RingHandle {
    this.#isAttached = false;
    for (const inFlight of this.#inFlight.values()) inFlight.takeBack();
    const handle = this.#outputs.open(maxRecordBytes);
    this.#holdWhileBusy();
    return handle;
  }

  /** Where the engine after this says what it works on, at most `maxSequences` at a time; the same for each. */
  openWork(maxSequences: number): SharedArrayBuffer {
    this.#workMemory ??= createWorkMemory(maxSequences);
    this.#work ??= new WorkRecord(this.#workMemory);
    this.#work.clear();
    return this.#workMemory;
  }

  /** The engine runs, for the first time or again: give it what is under way. */
  attach(ref: Ref<EngineActor>): void {
    this.#ref = ref;
    this.#isAttached = true;
    this.#submitAll();
    this.#watchdog?.wake();
  }

  /** From now on an engine that hangs is noticed and ended. */
  watch({ timeoutMs, kill, clock }: Watch): void {
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
   * A thread of the engine died of `error`. Whether that is explained by a request and says nothing of the engine: such a
   * request is taken out, or searched for among those that took part in the step.
   */
  explains(error: AppError): boolean {
    // Somebody wanted it so: no request had a hand in it.
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

  /** Nothing more will come: every caller gets `reason`. */
  close(reason: AppError): void {
    this.#closed ??= reason;
    this.#watchdog?.stop();
    this.#outputs.close();
    for (const inFlight of this.#inFlight.values()) inFlight.fail(reason);
    this.#inFlight.clear();
  }

  /** Why a caller's work really failed: that actors are gone is only the sign of it once the model is closed. */
  reasonOf(thrown: unknown): unknown {
    return this.#closed !== undefined && isLost(thrown) ? this.#closed : thrown;
  }

  /** Errors: `invalid_value`, `context_length_exceeded`, `overloaded`, `numeric_failure`, `grammar_too_slow`, `request_poisonous`, `engine_restarted`, `engine_closed`. */
  async *generate(request: GenerateRequest, signal?: AbortSignal): AsyncGenerator<SequenceOutput> {
    checkRequest(request, this.#limits);
    signal?.throwIfAborted();
    if (this.#closed !== undefined) throw this.#closed;
    const inFlight = this.#take(request);
    // Its caller may be busy with what it has read, and the engine is not to compute for nobody meanwhile.
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

  /** Mean over the prompt's tokens of the hidden state after the final norm, f32 [hiddenSize]. Errors as `generate`. */
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
        // The signal ends the wait for an engine that is down, and goes along to one that computes.
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

  /** Somebody waits for tokens: the process must not end. Nobody does: it may. */
  #holdWhileBusy(): void {
    this.#outputs.hold(this.#inFlight.size > 0);
  }

  /** Whether the engine has something to compute. */
  #hasWork(): boolean {
    if (this.#forwards.size > 0) return true;
    for (const inFlight of this.#inFlight.values()) if (inFlight.isGiven && !inFlight.isOver) return true;
    return false;
  }

  /** One that is over stays until its caller has read to its end. */
  #submitAll(): void {
    for (const inFlight of this.#inFlight.values()) void this.#submit(inFlight);
  }

  /** Gives it to the engine, unless it has it already, or suspects are tried and this is none of them. */
  async #submit(inFlight: InFlightRequest): Promise<void> {
    if (!this.#isAttached || inFlight.isGiven || inFlight.isOver || !this.#search.allows(inFlight)) return;
    const { trialTokens } = inFlight;
    // A trial that would fill the context is the whole request.
    const isPart = this.#search.isTried(inFlight) && trialTokens < this.contextLength;
    const request = inFlight.give(systemClock.nowMs(), isPart ? trialTokens : Infinity);
    try {
      await this.#engine().submit(inFlight.id, request, inFlight.tokenIds);
    } catch (error) {
      // The next engine is given it again.
      if (isLost(error)) return;
      const isFull = isAppError(error) && error.code === 'mailbox_full';
      inFlight.fail(isFull ? new AppError('overloaded', error.message, error.details) : (error as Error));
      this.#passOn(inFlight);
    }
  }

  /** It need not be tried, or not any more: others may have waited for that. */
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
    // An engine that is gone has nothing to cancel, and one with a full mailbox is told again when more tokens come.
    this.#engine()
      .cancel(id)
      .catch(() => {});
  }

  /** A token or an end of one sequence, as it comes from the engine. */
  #receive(record: OutputRecord): void {
    if (record.tokenId !== undefined) this.#search.progress();
    const inFlight = this.#inFlight.get(record.sequenceId);
    if (inFlight !== undefined && !inFlight.isOver) {
      if (inFlight.receive(record) || inFlight.isOver) this.#passOn(inFlight);
      this.#deliveries.push(inFlight);
    } else if (record.end === undefined) {
      // Nobody waits for it, and its engine has not heard that.
      this.#cancel(record.sequenceId);
    }
  }
}
