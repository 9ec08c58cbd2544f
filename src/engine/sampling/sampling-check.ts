import { invalidValue } from '../../base/index.js';
import { checkTokenId } from '../../grammar/index.js';
import type { ResolvedSampling } from './sampling.js';

/** Most alternatives that come with a logprob: OpenAI's own limit. */
export const MAX_TOP_LOGPROBS = 20;
/** Most biases of one request: far above what a person writes, low enough to cost nothing in a step. */
const MAX_BIASES = 4096;
/** Past it a penalty leaves nothing of a logit. */
const MAX_PENALTY = 1000;

/** Errors: `invalid_value`. */
export function checkSampling(sampling: ResolvedSampling, vocabSize: number): void {
  const { seed, logitBias } = sampling;
  within('temperature', sampling.temperature, 0, 100);
  within('topP', sampling.topP, 0, 1);
  whole('topK', sampling.topK, -1, '0 or -1 is off');
  within('minP', sampling.minP, 0, 1);
  checkSeed(seed);
  if (!Array.isArray(logitBias) || logitBias.length > MAX_BIASES) {
    throw invalidValue('logitBias', logitBias, `a list of at most ${MAX_BIASES} pairs`);
  }
  logitBias.forEach((pair: unknown, index) => {
    if (!Array.isArray(pair) || pair.length !== 2) {
      throw invalidValue(`logitBias[${index}]`, pair, 'a token id and its bias');
    }
    const [id, bias] = pair as [number, number];
    checkTokenId(`logitBias[${index}][0]`, id, vocabSize);
    if (bias !== -Infinity) within(`logitBias[${index}][1]`, bias, -100, 100);
  });
  whole('minTokens', sampling.minTokens, 0);
  penalty('repetitionPenalty', sampling.repetitionPenalty, Number.MIN_VALUE);
  whole('repeatLastN', sampling.repeatLastN, -1, '-1 is all');
  penalty('presencePenalty', sampling.presencePenalty, -MAX_PENALTY);
  penalty('frequencyPenalty', sampling.frequencyPenalty, -MAX_PENALTY);
  within('typicalP', sampling.typicalP, 0, 1);
  within('xtc.probability', sampling.xtc.probability, 0, 1);
  within('xtc.threshold', sampling.xtc.threshold, 0, 1);
  checkDry(sampling, vocabSize);
}

/** Beyond 2^53 a number may not be the one that was meant. */
function checkSeed(seed: number | bigint): void {
  if (typeof seed === 'bigint' ? seed >= -(2n ** 63n) && seed < 2n ** 64n : Number.isSafeInteger(seed)) return;
  const shown = typeof seed === 'bigint' ? `${seed}` : seed;
  throw invalidValue('seed', shown, 'a whole number within ±(2^53 − 1), or a bigint from −2^63 to 2^64 − 1');
}

function checkDry({ dry }: ResolvedSampling, vocabSize: number): void {
  penalty('dry.multiplier', dry.multiplier, 0);
  penalty('dry.base', dry.base, 1);
  whole('dry.allowedLength', dry.allowedLength, 0);
  whole('dry.penaltyLastN', dry.penaltyLastN, -1, '-1 is all');
  if (!Array.isArray(dry.breakerIds) || dry.breakerIds.length > vocabSize) {
    throw invalidValue('dry.breakerIds', dry.breakerIds, 'a list of token ids');
  }
  dry.breakerIds.forEach((id, index) => checkTokenId(`dry.breakerIds[${index}]`, id, vocabSize));
}

/** Errors: `invalid_value`. */
export function checkLogprobs(logprobs: number | undefined): void {
  if (logprobs === undefined || (Number.isInteger(logprobs) && logprobs >= 0 && logprobs <= MAX_TOP_LOGPROBS)) return;
  throw invalidValue('logprobs', logprobs, `a whole number from 0 to ${MAX_TOP_LOGPROBS}`);
}

function within(field: string, value: number, min: number, max: number): void {
  if (typeof value === 'number' && value >= min && value <= max) return;
  const rule = min === Number.MIN_VALUE ? `above 0 and at most ${max}` : `from ${min} to ${max}`;
  throw invalidValue(field, value, `a number ${rule}`);
}

function penalty(field: string, value: number, min: number): void {
  within(field, value, min, MAX_PENALTY);
}

function whole(field: string, value: number, min: number, note?: string): void {
  if (Number.isInteger(value) && value >= min) return;
  throw invalidValue(field, value, `a whole number from ${min} on${note === undefined ? '' : `; ${note}`}`);
}
