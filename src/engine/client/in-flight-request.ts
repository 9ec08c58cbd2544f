import { AppError } from '../../base/index.js';
import { tooSlow } from '../../grammar/index.js';
import type { OutputRecord } from './output-record.js';
import type { Suspect } from './poison-search.js';
import type { FinishReason, GenerateRequest, SequenceOutput, TokenLogprobs } from '../request.js';

/** One sequence on its caller's side: the request, every token so far, and its waiting caller. */
export class InFlightRequest implements Suspect {
  readonly id: number;
  readonly request: GenerateRequest;
  /** All completion tokens that have arrived. */
  readonly tokenIds: number[] = [];
  /** One for each of `tokenIds`, if requested. */
  readonly #logprobs: TokenLogprobs[] = [];
  #taken = 0;
  #cachedTokens: number | undefined;
  #embedding: Float32Array | undefined;
  #finishReason: FinishReason | undefined;
  #error: Error | undefined;
  #wake: (() => void) | undefined;
  readonly #startMs: number;
  deaths = 0;
  deathTokens = 0;
  trialTokens = 0;
  givenTokens = 0;
  /** Whether the present engine has it. */
  #isGiven = false;
  /** Completion tokens after which the engine stops a trial, if fewer than the request's limit. */
  #trialEnd: number | undefined;

  constructor(id: number, request: GenerateRequest, nowMs: number) {
    this.id = id;
    this.request = request;
    this.#startMs = nowMs;
  }

  /** Whether its computation is over: the engine has ended it, or it has failed. */
  get isOver(): boolean {
    return this.#finishReason !== undefined || this.#error !== undefined;
  }

  /** Whether an engine has it now. */
  get isGiven(): boolean {
    return this.#isGiven;
  }

  /** No engine has it any more. */
  takeBack(): void {
    this.#isGiven = false;
  }

  /**
   * The request for an engine at `nowMs`, until it has `untilTokens`, prompt and completion. Its deadline is the
   * remaining time, and its token limit is reduced to the trial's.
   */
  give(nowMs: number, untilTokens: number): GenerateRequest {
    const { request } = this;
    const { deadlineMs, maxTokens, promptTokenIds } = request;
    this.#isGiven = true;
    this.givenTokens = promptTokenIds.length + this.tokenIds.length;
    const trialEnd = untilTokens - promptTokenIds.length;
    this.#trialEnd = trialEnd < maxTokens ? trialEnd : undefined;
    if (deadlineMs === undefined && this.#trialEnd === undefined) return request;
    return {
      ...request,
      ...(deadlineMs !== undefined && { deadlineMs: this.#startMs + deadlineMs - nowMs }),
      ...(this.#trialEnd !== undefined && { maxTokens: this.#trialEnd }),
    };
  }

  /** Takes a token, or an end, or both; `deliver` passes them to the caller. Returns whether its trial has ended. */
  receive({ tokenId, logprobs, end, cachedTokens, embedding }: OutputRecord): boolean {
    if (tokenId !== undefined) this.tokenIds.push(tokenId);
    if (logprobs !== undefined) this.#logprobs.push(logprobs);
    // A restarted engine's cache does not change the caller's own saving.
    this.#cachedTokens ??= cachedTokens;
    this.#embedding = embedding;
    const isPassed = end === 'length' && this.#trialEnd === this.tokenIds.length;
    if (end === 'numeric_failure') this.#error = notFinite();
    else if (end === 'deadline_exceeded') this.#error = expired(this.request.deadlineMs);
    else if (end === 'grammar_too_slow') this.#error = tooSlow();
    else if (!isPassed) this.#finishReason = end;
    if (isPassed) this.#isGiven = false;
    return isPassed;
  }

  /** Passes the received outputs to the caller. */
  deliver(): void {
    if (this.#hasNews) this.#wake?.();
  }

  /** Rejects it for its caller. The first error stays. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#wake?.();
  }

  /** All outputs since the last call; waits for at least one token or the end. One caller at a time. */
  next(): Promise<SequenceOutput> {
    const news = this.#hasNews ? Promise.resolve() : new Promise<void>((resolve) => (this.#wake = resolve));
    // Taken a moment later, so that tokens that arrive together are taken together.
    return news.then(() => this.#take());
  }

  get #hasNews(): boolean {
    return this.#taken < this.tokenIds.length || this.#finishReason !== undefined || this.#error !== undefined;
  }

  #take(): SequenceOutput {
    this.#wake = undefined;
    if (this.#error !== undefined) throw this.#error;
    const isFirst = this.#taken === 0;
    const tokenIds = this.tokenIds.slice(this.#taken);
    const logprobs = this.request.logprobs !== undefined && { logprobs: this.#logprobs.slice(this.#taken) };
    this.#taken = this.tokenIds.length;
    return {
      tokenIds,
      ...logprobs,
      ...(this.#finishReason !== undefined && { finishReason: this.#finishReason }),
      ...(this.#embedding !== undefined && { embedding: this.#embedding }),
      ...(isFirst && this.#cachedTokens !== undefined && { cachedTokens: this.#cachedTokens }),
    };
  }
}

function notFinite(): AppError {
  const message =
    'the logits or hidden states of this sequence are not finite; the weights are broken or a kernel is: convert the model again';
  return new AppError('numeric_failure', message);
}

function expired(deadlineMs: number | undefined): AppError {
  return new AppError('deadline_exceeded', `the sequence did not end within its deadline of ${String(deadlineMs)} ms`);
}
