/**
 * The engine's client, on its callers' side of the threads. Requests and their outputs live here, so a sequence
 * outlives its engine: a new engine gets the request and the tokens so far, and goes on with the same tokens.
 */

import {
  callAgain,
  createRing,
  isLost,
  openConsumer,
  withOptions,
  type Ref,
  type RingConsumer,
  type RingHandle,
} from '../../actor/index.js';
import { AppError, isAppError, present, systemClock, type Clock } from '../../base/index.js';
import type { EngineActor } from '../engine-actor.js';
import type { EngineStats } from '../engine.js';
import { InFlightRequest } from './in-flight-request.js';
import { Deliveries } from './deliveries.js';
import { decodeOutput, type OutputRecord } from './output-record.js';
import { PoisonSearch, type Suspect } from './poison-search.js';
import { KnownGrammars, partRequest } from '../known-grammars.js';
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
  /** What the present engine has had. */
  #grammars = new KnownGrammars();
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
    this.#limits = { ...limits, isChecked: (id, grammar) => this.#grammars.has(id, grammar) };
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
    this.#grammars = new KnownGrammars();
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

  /** The engine's figures. The outputs that it wrote before them have arrived: what has ended there has ended here. */
  async stats(): Promise<EngineStats> {
    const stats = await this.#engine().stats();
    this.#outputs.read();
    return stats;
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
      await this.#send(inFlight, request);
    } catch (error) {
      // The next engine gets it again.
      if (isLost(error)) return;
      const isFull = isAppError(error) && error.code === 'mailbox_full';
      inFlight.fail(isFull ? new AppError('overloaded', error.message, error.details) : (error as Error));
      this.#passOn(inFlight);
    }
  }

  /** Sends it to the present engine, with its grammar only where that engine has not had it. */
  async #send(inFlight: InFlightRequest, request: GenerateRequest): Promise<void> {
    const { id, tokenIds } = inFlight;
    const { named, grammar } = partRequest(request);
    const engine = this.#engine();
    if (grammar === undefined) return void (await engine.submit(id, named, tokenIds));
    const grammars = this.#grammars;
    const isKnown = grammars.has(grammar.id, grammar.compiled);
    grammars.put(grammar.id, grammar.compiled);
    if (await engine.submit(id, named, tokenIds, isKnown ? undefined : grammar.compiled)) return;
    // The engine did not take the request that the grammar came with. Another engine gets it by itself.
    if (this.#grammars === grammars && this.#inFlight.get(id) === inFlight && !inFlight.isOver)
      await engine.submit(id, named, tokenIds, grammar.compiled);
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

// Errors of an engine's deaths, for its callers.

/** The engine showed no sign of life. */
function engineHung(silentMs: number): AppError {
  const message = `the engine gave no sign of life for ${Math.round(silentMs)} ms, and was ended`;
  return new AppError('engine_hung', message, { silentMs });
}

/** The engine died of one request `deaths` times, the last time with `cause`. */
function requestPoisonous(deaths: number, cause: AppError): AppError {
  const message =
    `the engine died ${deaths} times while it computed this request, the last time with no other beside it, and will not ` +
    `compute it again (${cause.code}); other requests go on. Please report it with the prompt, if it may be told`;
  return new AppError('request_poisonous', message, { deaths, cause: cause.code });
}

/** A `forward` call asked for more logits than one copy between threads may have. */
function tooManyLogits(numTokens: number, limit: number): AppError {
  const message = `forward takes at most ${limit} tokens of this model, not ${numTokens}`;
  return new AppError('invalid_value', message, { limit });
}

/**
 * Deaths of engines that one `forward` survives without having caused them: twice as many as a search in a crowd takes.
 * The search ends a `forward` that kills engines, at the second death.
 */
const ATTEMPTS = 32;

/** A `forward` under way, on its caller's side. */
class ForwardCall implements Suspect {
  readonly id: number;
  readonly givenTokens: number;
  deaths = 0;
  deathTokens = 0;
  trialTokens = 0;
  readonly isOver = false;
  readonly #failure = new AbortController();

  constructor(id: number, numTokens: number) {
    this.id = id;
    this.givenTokens = numTokens;
  }

  /** Rejects it for its caller. */
  fail(error: AppError): void {
    this.#failure.abort(error);
  }

  /** Calls `ask` until an engine has answered; `signal` aborts. Rejects with the engine's error. */
  run<T>(ask: (signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { signal: failed } = this.#failure;
    const either = signal === undefined ? failed : AbortSignal.any([signal, failed]);
    return callAgain(ATTEMPTS, () => ask(either));
  }
}

/** Ring for tokens from the engine to its callers: a few steps of the largest batch, then the engine waits. */
const RING_BYTES = 1 << 16;
/** A ring accepts records of up to half its size; twice that, so that one embedding is written while another is read. */
const RECORDS_IN_RING = 4;
/** Reads engines' outputs, each from a ring of its own, and passes on record after record. */
class OutputReader {
  readonly #onRecord: (record: OutputRecord) => void;
  #consumer: RingConsumer | undefined;
  #isClosed = false;

  constructor(onRecord: (record: OutputRecord) => void) {
    this.#onRecord = onRecord;
  }

  /** The ring of a new engine; unread records of the former one are dropped. `maxRecordBytes`: the engine's longest record. */
  open(maxRecordBytes: number): RingHandle {
    this.#consumer?.close();
    const handle = createRing({ capacityBytes: Math.max(RING_BYTES, RECORDS_IN_RING * maxRecordBytes) });
    this.#consumer = openConsumer(handle);
    if (this.#isClosed) this.#consumer.close();
    void this.#pump(this.#consumer);
    return handle;
  }

  /** Sets whether expected outputs keep the process alive. */
  hold(isAwaited: boolean): void {
    this.#consumer?.hold(isAwaited);
  }

  close(): void {
    this.#isClosed = true;
    this.#consumer?.close();
  }

  /** Reads until the ring is closed. */
  async #pump(consumer: RingConsumer): Promise<void> {
    while (await consumer.wait()) this.read(consumer);
  }

  /** Reads what is in the ring. */
  read(consumer = this.#consumer): void {
    consumer?.drain((bytes) => this.#onRecord(decodeOutput(bytes)));
  }
}
