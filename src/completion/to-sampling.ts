import type { SamplingFields } from '../api/index.js';
import { AppError } from '../base/index.js';
import { neutralSampling, type Sampling } from '../engine/index.js';

/** The request's sampling in the engine's words; what is absent is neutral. Errors: `invalid_value`. */
export function toSampling(
  request: SamplingFields,
  vocabSize: number,
  breakerIds: readonly number[],
): Omit<Sampling, 'seed'> {
  const { dry, xtc, ...off } = neutralSampling;
  return {
    temperature: request.temperature ?? off.temperature,
    topP: request.top_p ?? off.topP,
    topK: Math.max(0, request.top_k ?? off.topK),
    minP: request.min_p ?? off.minP,
    typicalP: request.typical_p ?? off.typicalP,
    logitBias: toLogitBias(request.logit_bias, vocabSize),
    minTokens: request.min_tokens ?? off.minTokens,
    repetitionPenalty: request.repetition_penalty ?? request.repeat_penalty ?? off.repetitionPenalty,
    repeatLastN: request.repeat_last_n ?? off.repeatLastN,
    presencePenalty: request.presence_penalty ?? off.presencePenalty,
    frequencyPenalty: request.frequency_penalty ?? off.frequencyPenalty,
    dry: {
      multiplier: request.dry_multiplier ?? dry.multiplier,
      base: request.dry_base ?? dry.base,
      allowedLength: request.dry_allowed_length ?? dry.allowedLength,
      penaltyLastN: request.dry_penalty_last_n ?? dry.penaltyLastN,
      breakerIds,
    },
    xtc: {
      probability: request.xtc_probability ?? xtc.probability,
      threshold: request.xtc_threshold ?? xtc.threshold,
    },
  };
}

/**
 * The ids that end an answer: the model's, unless they are to be ignored, and the request's own, which are never.
 * Errors: `invalid_value`.
 */
export function toStopTokenIds(
  request: SamplingFields,
  vocabSize: number,
  modelStopIds: readonly number[],
): readonly number[] {
  const own = request.stop_token_ids ?? [];
  own.forEach((id, index) => checkTokenId(`stop_token_ids[${index}]`, id, vocabSize));
  return request.ignore_eos === true ? own : [...modelStopIds, ...own];
}

function toLogitBias(logitBias: SamplingFields['logit_bias'], vocabSize: number): Sampling['logitBias'] & object {
  if (Array.isArray(logitBias)) {
    return logitBias.map(([id, bias], index) => {
      checkTokenId(`logit_bias[${index}][0]`, id, vocabSize);
      return [id, typeof bias === 'number' ? bias : -Infinity] as const;
    });
  }
  return Object.entries(logitBias ?? {}).map(([key, bias]) => {
    checkTokenId(`logit_bias[${key}]`, Number(key), vocabSize);
    return [Number(key), bias] as const;
  });
}

/** Errors: `invalid_value`. */
export function checkTokenId(param: string, id: number, vocabSize: number): void {
  if (id < vocabSize) return;
  const message = `${param} names the token ${id}; this model's vocabulary has ids from 0 to ${vocabSize - 1}`;
  throw new AppError('invalid_value', message, { param });
}
