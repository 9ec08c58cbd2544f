// Fields that requests for chat and for text share.
import type { Effort, OllamaCommonRequest } from '../../api/index.js';
import { AppError, describe } from '../../base/index.js';
import type { AnswerFormat, CompletionWishes, FieldNames, Thinking } from '../../completion/index.js';
import type { WireRequest } from '../dialect.js';
import { readThinking } from '../parsing/read-thinking.js';
import { commonNames } from '../sampling-choice.js';
import { readKeepAlive } from './keep-alive.js';
import { readOptions } from './options.js';

/** Longest list of unknown options that is logged, and longest name in it. */
const MAX_IGNORED = 16;
const LOGGED_NAME = /^\w{1,64}$/;
const EFFORTS: readonly string[] = ['low', 'medium', 'high', 'max'] satisfies readonly Effort[];

/** The names of fields in errors. */
export const ollamaFields: FieldNames = {
  ...commonNames,
  format: 'format',
  schemaAdvice: 'change it, or leave it out of the schema: the answer is not held to it then',
  stopTokenIds: 'options',
  logitBias: () => 'options',
  earlier: 'context',
};

/**
 * How many tokens an answer has, how they are chosen, and which of their figures are sent. Errors: `invalid_type`,
 * `invalid_value`.
 */
export function toWishes(body: OllamaCommonRequest): Omit<CompletionWishes, 'fields'> {
  const { sampling, maxTokens, stops } = readOptions(body.options);
  return {
    sampling,
    n: 1,
    maxTokens,
    stops,
    keepsStop: false,
    logprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
    format: readFormat(body.format),
  };
}

/** Everything of a request but its prompt. `isEmpty`: no prompt; the model is loaded, or unloaded. */
export function toHeadOf(body: OllamaCommonRequest, isEmpty: boolean): Omit<WireRequest, 'completion'> {
  const keepAliveMs = readKeepAlive(body.keep_alive);
  const { unknown } = readOptions(body.options);
  return {
    model: body.model,
    isStream: body.stream !== false && !isEmpty,
    tellsUsage: true,
    keepAliveMs,
    releases: isEmpty && keepAliveMs === 0,
    ignored: unknown.filter((name) => LOGGED_NAME.test(name)).slice(0, MAX_IGNORED),
  };
}

/** A completion of nothing: its cost is opening the model. */
export function toNothing(body: OllamaCommonRequest): WireRequest['completion'] {
  const text = { kind: 'text', prompts: [], echo: false, readsControlTokensAsText: true } as const;
  return { ...text, ...toWishes(body), format: undefined, fields: ollamaFields };
}

/** Errors: `invalid_value`. */
export function readThink({ think }: OllamaCommonRequest): Thinking {
  if (typeof think !== 'string') return { isHidden: false, ...(think !== undefined && { enabled: think }) };
  if (isEffort(think)) return readThinking({ reasoning_effort: think });
  const message = `think must be true, false, "low", "medium", "high" or "max"; it is ${describe(think, true)}`;
  throw new AppError('invalid_value', message, { param: 'think' });
}

function isEffort(text: string): text is Effort {
  return EFFORTS.includes(text);
}

/** Errors: `invalid_value`. */
function readFormat(format: OllamaCommonRequest['format']): AnswerFormat | undefined {
  if (format === undefined || format === '') return undefined;
  if (format === 'json') return { kind: 'json' };
  if (typeof format !== 'string') return { kind: 'jsonSchema', schema: format, isStrict: true };
  const message = `format must be "json" or a JSON Schema; it is ${describe(format, true)}`;
  throw new AppError('invalid_value', message, { param: 'format' });
}

/** Refuses pictures: no model here reads them. Errors: `unsupported_parameter`. */
export function refuseImages(images: readonly string[] | null | undefined, param: string): void {
  if (images === undefined || images === null || images.length === 0) return;
  const message = `${param} is not supported: this engine reads text only; leave it out`;
  throw new AppError('unsupported_parameter', message, { param });
}
