import { invalidValue } from '../../base/index.js';
import { checkTokenId } from '../../grammar/index.js';
import { checkParameter, getAt } from './parameter.js';
import { samplerParameters } from './samplers/index.js';
import type { ResolvedSampling } from './sampling.js';

/** Limit of alternatives with a logprob: OpenAI's own. */
export const MAX_LOGPROB_ALTERNATIVES = 20;
/** Limit of biases of one request: far above hand-written ones, low enough to cost nothing in a step. */
const MAX_BIASES = 4096;
/** OpenAI's range of a bias. */
const BIAS = { neutral: 0, min: -100, max: 100 };

/** Checks the sampling of a request. Errors: `invalid_value`. */
export function checkSampling(sampling: ResolvedSampling, vocabSize: number): void {
  for (const { path, parameter } of samplerParameters) checkParameter(path.join('.'), getAt(sampling, path), parameter);
  const { seed, logitBias, dry } = sampling;
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
    if (bias !== -Infinity) checkParameter(`logitBias[${index}][1]`, bias, BIAS);
  });
  checkBreakers(dry.breakerIds, vocabSize);
}

/** Beyond 2^53 a number may differ from the intended one. */
function checkSeed(seed: number | bigint): void {
  if (typeof seed === 'bigint' ? seed >= -(2n ** 63n) && seed < 2n ** 64n : Number.isSafeInteger(seed)) return;
  const shown = typeof seed === 'bigint' ? `${seed}` : seed;
  throw invalidValue('seed', shown, 'a whole number within ±(2^53 − 1), or a bigint from −2^63 to 2^64 − 1');
}

function checkBreakers(ids: unknown, vocabSize: number): void {
  if (!Array.isArray(ids) || ids.length > vocabSize) throw invalidValue('dry.breakerIds', ids, 'a list of token ids');
  ids.forEach((id, index) => checkTokenId(`dry.breakerIds[${index}]`, id, vocabSize));
}

/** Checks a number of alternatives. Errors: `invalid_value`. */
export function checkLogprobs(logprobs: number | undefined): void {
  if (logprobs === undefined || (Number.isInteger(logprobs) && logprobs >= 0 && logprobs <= MAX_LOGPROB_ALTERNATIVES))
    return;
  throw invalidValue('logprobs', logprobs, `a whole number from 0 to ${MAX_LOGPROB_ALTERNATIVES}`);
}
