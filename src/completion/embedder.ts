import { setMaxListeners } from 'node:events';
import { AppError, invalidValue, isAppError } from '../base/index.js';
import { checkCaller, toCacheScope, type EmbedRequest } from '../engine/index.js';
import type { Admit } from './slot-pool.js';

/**
 * Inputs of one call that the engine has at once: enough short texts to fill its steps, and half of the sequences that
 * may run, so that other callers find a slot. The rest waits here, not in the engine's queue.
 */
const MAX_IN_FLIGHT = 32;

/** A text, or a list of texts and of token ids; each list of ids goes to the model unchanged. */
export type EmbedInput = string | readonly (string | ArrayLike<number>)[];

/** Options of an embedding. */
export interface EmbedCallOptions {
  /** An abort rejects with `signal.reason` and ends the work under way. */
  readonly signal?: AbortSignal | undefined;
  /** The caller; callers take turns, however much each asks. Absent: all calls without a caller share one. */
  readonly caller?: string | undefined;
  /** Shares cached prefixes with calls of the same salt only, 1 to 256 characters. Absent: with all calls without a salt. */
  readonly cacheSalt?: string | undefined;
  /** Scale each vector to length 1, which clients of the wire expect. False: the plain mean. Default true. */
  readonly normalize?: boolean | undefined;
  /** Cut a text that is longer than the context. Default false: it is refused. */
  readonly truncate?: boolean | undefined;
}

/** The vectors of all inputs, and their tokens. */
export interface Embeddings {
  /** One for each input, in their order: f32 [hiddenSize]. */
  readonly embeddings: Float32Array[];
  /** Tokens of all inputs, with the tokenizer's special tokens. */
  readonly promptTokens: number;
}

/**
 * Embeds texts or token ids: the mean over all tokens of the hidden state after the final norm. Errors, each naming the
 * input: `invalid_value` for an empty list or input, `context_length_exceeded`, `text_too_long`; and the engine's.
 */
export type Embed = (input: EmbedInput, options?: EmbedCallOptions) => Promise<Embeddings>;

/** The parts of an embedder. */
export interface EmbedderOptions {
  /** The mean hidden state of one prompt. */
  readonly embed: (request: EmbedRequest, signal?: AbortSignal) => Promise<Float32Array>;
  /** Text to ids, with the tokenizer's special tokens around every text. */
  readonly encode: (text: string, signal: AbortSignal | undefined) => Promise<readonly number[]>;
  /** The most tokens of an input. */
  readonly contextLength: number;
  /** Takes slots for the inputs that the engine has at once. Absent: no limit. */
  readonly admit?: Admit;
}

/** Embeds with one model. */
export function createEmbedder({ embed, encode, contextLength, admit }: EmbedderOptions): Embed {
  return async (input, { signal: outer, caller, cacheSalt, normalize = true, truncate = false } = {}) => {
    outer?.throwIfAborted();
    checkCaller(caller);
    const place = {
      ...(caller !== undefined && { caller }),
      ...(cacheSalt !== undefined && { cacheScope: toCacheScope(cacheSalt) }),
    };
    const inputs = checkInputs(input);
    const workers = Math.min(MAX_IN_FLIGHT, inputs.length);
    using places = admit?.(workers, caller, outer);
    const { signal: admitted = outer } = places ?? {};
    const failure = new AbortController();
    const signal = admitted === undefined ? failure.signal : AbortSignal.any([admitted, failure.signal]);
    // Each input under way adds a listener, and Node reports more than ten as a leak.
    setMaxListeners(MAX_IN_FLIGHT, signal);
    const embeddings: Float32Array[] = inputs.map(() => new Float32Array());
    let promptTokens = 0;

    const embedOne = async (one: string | ArrayLike<number>): Promise<Float32Array> => {
      const tokenIds = typeof one === 'string' ? await encode(one, signal) : Array.from(one);
      const promptTokenIds = truncate ? tokenIds.slice(0, contextLength) : tokenIds;
      const mean = await embed({ promptTokenIds, ...place }, signal);
      places?.begin();
      promptTokens += promptTokenIds.length;
      return normalize ? toUnitLength(mean) : mean;
    };
    const left = inputs.entries();
    const work = async (): Promise<void> => {
      for (const [index, one] of left) {
        embeddings[index] = await embedOne(one).catch((thrown: unknown) => {
          throw atInput(index, thrown);
        });
      }
    };
    try {
      await Promise.all(Array.from({ length: workers }, work));
    } catch (thrown) {
      failure.abort(thrown);
      throw thrown;
    }
    return { embeddings, promptTokens };
  };
}

/** Checks the inputs and makes a list of them. Errors: `invalid_value`. */
function checkInputs(input: EmbedInput): readonly (string | ArrayLike<number>)[] {
  const inputs = typeof input === 'string' ? [input] : input;
  if (!Array.isArray(inputs)) throw invalidValue('input', inputs, 'a text, or a list of texts and token ids');
  if (inputs.length === 0) throw emptyInput('input', 'give at least one text, or one list of token ids');
  inputs.forEach((one: unknown, index) => {
    const expected = 'a text that is not empty, or a list of at least one token id';
    const isList = Array.isArray(one) || ArrayBuffer.isView(one);
    if (typeof one !== 'string' && !isList) throw invalidValue(`input[${index}]`, one, expected);
    if ((one as ArrayLike<unknown>).length === 0) throw emptyInput(`input[${index}]`, `it must be ${expected}`);
  });
  return inputs;
}

function emptyInput(field: string, rule: string): AppError {
  return new AppError('invalid_value', `${field} is empty; ${rule}`, { field });
}

/** Codes that are the fault of one input, not of the engine. */
const INPUT_CODES: ReadonlySet<string> = new Set(['invalid_value', 'context_length_exceeded', 'text_too_long']);

function atInput(index: number, thrown: unknown): unknown {
  if (!isAppError(thrown) || !INPUT_CODES.has(thrown.code)) return thrown;
  return new AppError(thrown.code, `input[${index}]: ${thrown.message}`, { ...thrown.details, param: 'input', index });
}

/** `vector` at length 1, computed in f64; a vector of zeros stays unchanged. */
function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}
