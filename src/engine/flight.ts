import { AppError } from '../base/index.js';
import type { OutputRecord } from './output-record.js';
import type { FinishReason, GenerateRequest, SequenceOutput } from './request.js';

/** One sequence on its caller's side: the request, every token so far, and who waits for more. */
export class Flight {
  readonly id: number;
  readonly request: GenerateRequest;
  /** All completion tokens that have arrived. */
  readonly tokenIds: number[] = [];
  #taken = 0;
  #finishReason: FinishReason | undefined;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(id: number, request: GenerateRequest) {
    this.id = id;
    this.request = request;
  }

  /** Whether the engine has ended it by itself. */
  get ended(): boolean {
    return this.#finishReason !== undefined;
  }

  /** A token, or an end, or both. */
  receive(tokenId: number | undefined, end: OutputRecord['end']): void {
    if (tokenId !== undefined) this.tokenIds.push(tokenId);
    if (end === 'failed') this.#error = notFinite();
    else this.#finishReason = end;
    this.#wake?.();
  }

  /** Ends it for its caller. The first error stays. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#wake?.();
  }

  /** Everything that has come since the last call; waits for at least one token or the end. One caller at a time. */
  async next(): Promise<SequenceOutput> {
    while (this.#taken === this.tokenIds.length && this.#finishReason === undefined && this.#error === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = undefined;
    if (this.#error !== undefined) throw this.#error;
    const tokenIds = this.tokenIds.slice(this.#taken);
    this.#taken = this.tokenIds.length;
    return { tokenIds, ...(this.#finishReason !== undefined && { finishReason: this.#finishReason }) };
  }
}

function notFinite(): AppError {
  const message =
    'the logits of this sequence are not finite; the weights are broken or a kernel is: convert the model again';
  return new AppError('numeric_failure', message);
}
