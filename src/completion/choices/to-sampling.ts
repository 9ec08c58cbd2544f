import { AppError } from '../../base/index.js';
import { neutralSampling, type Sampling } from '../../engine/index.js';
import type { FieldNames, SamplingChoice } from '../request.js';

/** A request's sampling as the engine takes it; what is absent is neutral. Errors: `invalid_value`. */
export function toSampling(
  { dry = {}, xtc = {}, topK, logitBias, ...choice }: SamplingChoice,
  vocabSize: number,
  breakerIds: readonly number[],
  fields: FieldNames,
): Omit<Sampling, 'seed'> {
  const off = neutralSampling;
  logitBias?.forEach(([id], index) => checkTokenId(fields.logitBias(id, index), id, vocabSize));
  return {
    temperature: choice.temperature ?? off.temperature,
    topP: choice.topP ?? off.topP,
    topK: Math.max(0, topK ?? off.topK),
    minP: choice.minP ?? off.minP,
    typicalP: choice.typicalP ?? off.typicalP,
    logitBias: logitBias ?? [],
    minTokens: choice.minTokens ?? off.minTokens,
    repetitionPenalty: choice.repetitionPenalty ?? off.repetitionPenalty,
    repeatLastN: choice.repeatLastN ?? off.repeatLastN,
    presencePenalty: choice.presencePenalty ?? off.presencePenalty,
    frequencyPenalty: choice.frequencyPenalty ?? off.frequencyPenalty,
    dry: {
      multiplier: dry.multiplier ?? off.dry.multiplier,
      base: dry.base ?? off.dry.base,
      allowedLength: dry.allowedLength ?? off.dry.allowedLength,
      penaltyLastN: dry.penaltyLastN ?? off.dry.penaltyLastN,
      breakerIds,
    },
    xtc: { probability: xtc.probability ?? off.xtc.probability, threshold: xtc.threshold ?? off.xtc.threshold },
  };
}

/**
 * The ids that end an answer: the model's, unless they are to be ignored, and the request's own, which are never.
 * Errors: `invalid_value`.
 */
export function toStopTokenIds(
  { stopTokenIds = [], ignoresModelStops = false }: SamplingChoice,
  vocabSize: number,
  modelStopIds: readonly number[],
  fields: FieldNames,
): readonly number[] {
  stopTokenIds.forEach((id, index) => checkTokenId(`${fields.stopTokenIds}[${index}]`, id, vocabSize));
  return ignoresModelStops ? stopTokenIds : [...modelStopIds, ...stopTokenIds];
}

/** Errors: `invalid_value`. */
export function checkTokenId(param: string, id: number, vocabSize: number): void {
  if (id < vocabSize) return;
  const message = `${param} names the token ${id}; this model's vocabulary has ids from 0 to ${vocabSize - 1}`;
  throw new AppError('invalid_value', message, { param });
}
