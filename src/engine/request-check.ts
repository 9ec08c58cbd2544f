// Checks of the engine's inputs: ids and numbers of an embedding program, before they reach a thread.

import { AppError, invalidValue } from '../base/index.js';
import { checkConstraint, type CheckSurroundings } from '../grammar/index.js';
import { checkCacheScope } from './cache/cache-scope.js';
import type { GenerateRequest, MediaItem } from './request.js';
import { checkLogprobs, checkSampling } from './sampling/sampling-check.js';
import { resolveSampling } from './sampling/sampling.js';

/**
 * Longest name of a caller, in UTF-16 units: a key's or an address's. It is kept during its requests, and with their
 * cached blocks.
 */
const MAX_CALLER_LENGTH = 256;

/** Limits of a request. */
export interface Limits extends CheckSurroundings {
  readonly contextLength: number;
  /** Absent: all rows of prompts are tokens. */
  readonly media?: MediaLimits | undefined;
}

/** What rows of media may be. */
export interface MediaLimits {
  readonly hiddenSize: number;
  /** By name: the floats of a row that enters, and the rows of the longest item. */
  readonly towers: ReadonlyMap<string, { readonly width: number; readonly maxRows: number }>;
}

/** Checks a request. Errors: `invalid_value`, `context_length_exceeded`. */
export function checkRequest(request: GenerateRequest, limits: Limits): void {
  checkPlace(request);
  checkMedia(request, limits.media);
  if (request.pooling !== undefined) return checkForward(request.promptTokenIds, limits);
  checkIds(request.promptTokenIds, limits);
  const numTokens = request.promptTokenIds.length;
  if (numTokens >= limits.contextLength) {
    throw tooLong(numTokens, limits, `at most ${limits.contextLength - 1} leave room for an answer`);
  }
  const { maxTokens, stopTokenIds, constraint } = request;
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    throw invalidValue('maxTokens', maxTokens, 'a whole number from 1 on');
  const bad = stopTokenIds.findIndex((id) => !Number.isInteger(id) || id < 0);
  if (bad !== -1) throw invalidValue(`stopTokenIds[${bad}]`, stopTokenIds[bad], 'a whole number from 0 on');
  checkSampling(resolveSampling(request.sampling), limits.vocabSize);
  checkLogprobs(request.logprobs);
  if (constraint !== undefined) checkConstraint(constraint, limits);
}

/** Checks the caller, which the error does not quote. Errors: `invalid_value`. */
export function checkCaller(caller: string | undefined): void {
  if (caller === undefined || (typeof caller === 'string' && caller.length <= MAX_CALLER_LENGTH)) return;
  throw new AppError('invalid_value', `caller must be a string of at most ${MAX_CALLER_LENGTH} characters`, {
    field: 'caller',
  });
}

/** Checks where media lie, and their values. Errors: `invalid_value`. */
function checkMedia({ media = [], promptTokenIds }: GenerateRequest, limits: MediaLimits | undefined): void {
  if (limits === undefined && media.length > 0) throw invalidValue('media', media.length, 'absent for this model');
  let end = 0;
  for (const [index, item] of media.entries()) {
    const { at, rows, digest, values } = item;
    const name = `media[${index}]`;
    const most = promptTokenIds.length;
    if (!Number.isInteger(at) || at < end) throw invalidValue(`${name}.at`, at, `a whole number from ${end} on`);
    if (!Number.isInteger(rows) || rows < 1 || at + rows > most)
      throw invalidValue(`${name}.rows`, rows, `a whole number from 1 to ${most - at}: the rest of the prompt`);
    if (!/^[0-9a-f]{64}$/.test(digest)) throw invalidValue(`${name}.digest`, digest, '64 hexadecimal digits');
    const width = widthOf(item, name, limits);
    if (values.length !== rows * width)
      throw invalidValue(`${name}.values`, values.length, `${rows} rows of ${width} numbers`);
    const bad = values.findIndex((value) => !Number.isFinite(value));
    if (bad !== -1) throw invalidValue(`${name}.values[${bad}]`, values[bad], 'a finite number');
    end = at + rows;
  }
}

/** Floats of one row of an item's values. */
function widthOf({ tower, rows }: MediaItem, name: string, limits: MediaLimits | undefined): number {
  if (tower === undefined) return limits?.hiddenSize ?? 0;
  const known = limits?.towers.get(tower);
  if (known === undefined) {
    const names = [...(limits?.towers.keys() ?? [])].join(', ') || 'none';
    throw invalidValue(`${name}.tower`, tower, `the name of a tower of this model (${names})`);
  }
  if (rows > known.maxRows) throw invalidValue(`${name}.rows`, rows, `at most ${known.maxRows} for the tower ${tower}`);
  return known.width;
}

/** Checks the fields that order a request among others. */
function checkPlace({ caller, cacheScope, priority = 0, deadlineMs = Infinity }: GenerateRequest): void {
  checkCaller(caller);
  checkCacheScope(cacheScope);
  if (!Number.isFinite(priority)) throw invalidValue('priority', priority, 'a finite number');
  if (typeof deadlineMs !== 'number' || !(deadlineMs > 0))
    throw invalidValue('deadlineMs', deadlineMs, 'a number above 0');
}

/**
 * Checks tokens for scoring or embedding only: they may fill the context. Errors: `invalid_value`,
 * `context_length_exceeded`.
 */
export function checkForward(tokenIds: readonly number[], limits: Limits, field = 'promptTokenIds'): void {
  checkIds(tokenIds, limits, field);
  if (tokenIds.length > limits.contextLength)
    throw tooLong(tokenIds.length, limits, 'no more can be computed at once: shorten it');
}

function checkIds(tokenIds: readonly number[], { vocabSize }: Limits, field = 'promptTokenIds'): void {
  if (tokenIds.length === 0) throw new AppError('invalid_value', 'the prompt has no tokens; at least one is needed');
  const bad = tokenIds.findIndex((id) => !Number.isInteger(id) || id < 0 || id >= vocabSize);
  if (bad !== -1) throw invalidValue(`${field}[${bad}]`, tokenIds[bad], `a whole number from 0 to ${vocabSize - 1}`);
}

function tooLong(numTokens: number, { contextLength }: Limits, rule: string): AppError {
  return new AppError(
    'context_length_exceeded',
    `the prompt has ${numTokens} tokens and the context holds ${contextLength}; ${rule}`,
    { n_prompt_tokens: numTokens, n_ctx: contextLength },
  );
}
