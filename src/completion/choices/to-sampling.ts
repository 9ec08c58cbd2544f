import { AppError } from '../../base/index.js';
import { chooseSampling, resolveSampling, type RecommendedSampling, type Sampling } from '../../engine/index.js';
import type { FieldNames, SamplingChoice } from '../request.js';

/** A request's sampling in the engine's form. `recommended`: the values of the model's makers. Errors: `invalid_value`. */
export function toSampling(
  { values: asked, logitBias, defaults }: SamplingChoice,
  recommended: RecommendedSampling,
  vocabSize: number,
  breakerIds: readonly number[],
  fields: FieldNames,
): Omit<Sampling, 'seed'> {
  logitBias?.forEach(([id], index) => checkVocabularyId(fields.logitBias(id, index), id, vocabSize));
  const values = defaults === undefined ? asked : chooseSampling(asked, recommended, defaults);
  return resolveSampling({ ...values, logitBias, dry: { ...values.dry, breakerIds } });
}

/**
 * The ids that end an answer: the model's, unless the request ignores them, and the request's own. Errors:
 * `invalid_value`.
 */
export function toStopTokenIds(
  { stopTokenIds = [], ignoresModelStops = false }: SamplingChoice,
  vocabSize: number,
  modelStopIds: readonly number[],
  fields: FieldNames,
): readonly number[] {
  stopTokenIds.forEach((id, index) => checkVocabularyId(`${fields.stopTokenIds}[${index}]`, id, vocabSize));
  return ignoresModelStops ? stopTokenIds : [...modelStopIds, ...stopTokenIds];
}

/** Checks that an id is below the vocabulary's size. Errors: `invalid_value`. */
export function checkVocabularyId(param: string, id: number, vocabSize: number): void {
  if (id < vocabSize) return;
  const message = `${param} names the token ${id}; this model's vocabulary has ids from 0 to ${vocabSize - 1}`;
  throw new AppError('invalid_value', message, { param });
}
