import { randomInt } from 'node:crypto';
import { checkedLater, checkOptions, flag, invalidValue, type OptionRule, type OptionTable } from '../base/index.js';
import {
  chooseSampling,
  isGroup,
  neutralSampling,
  toCacheScope,
  type GenerateRequest,
  type RecommendedSampling,
  type Sampling,
} from '../engine/index.js';
import type { ConstraintSpec } from '../grammar/index.js';
import { toIds } from './check-arguments.js';

/** The same fields, all optional. */
export type Nullable<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null | undefined };

/**
 * A prompt of token ids to continue. Absent sampling values are the model's recommendations, else the library's
 * defaults.
 */
export interface GenerateOptions extends Nullable<Sampling> {
  /** The prompt, at least one id. */
  readonly promptTokenIds: ArrayLike<number>;
  /** The most tokens to generate; the context may end generation earlier. */
  readonly maxTokens: number;
  /** A whole number of 64 bits, above 2^53 a bigint. Absent or -1: a new seed each time. */
  readonly seed?: number | bigint | null | undefined;
  /** Ids that end generation, in addition to the model's own. */
  readonly stopTokenIds?: readonly number[] | null | undefined;
  /** Continues past the model's own stop ids and treats them as ordinary tokens. */
  readonly ignoreStop?: boolean | null | undefined;
  /** Constrains each token. The end of the constraint ends generation with `stop` and adds no token. */
  readonly constraint?: ConstraintSpec | null | undefined;
  /** The number of alternatives with logprobs for each token, in addition to its own, 0 to 20. Absent: no logprobs. */
  readonly logprobs?: number | null | undefined;
  /**
   * Id of the caller. Callers wait equally long, however many requests each sends. A caller's next request need not
   * compute the last tokens of its previous one again. While others wait, one caller holds at most half of the slots.
   * Absent: one caller that all such requests share.
   */
  readonly caller?: string | null | undefined;
  /**
   * Calls with the same salt share cached prefixes; 1 to 256 characters. Absent: shared by all calls without a salt.
   */
  readonly cacheSalt?: string | null | undefined;
  /** Higher runs first; default 0. */
  readonly priority?: number | null | undefined;
  /**
   * Milliseconds after the engine receives the request at which it ends with `deadline_exceeded`. Absent: no deadline.
   */
  readonly deadlineMs?: number | null | undefined;
}

/** The table of sampling options. The engine checks every value. */
const samplingRules = rulesOf(neutralSampling);

/** The table that checks the options of `generate`. */
const generateOptions: OptionTable<GenerateOptions> = {
  ...samplingRules,
  promptTokenIds: checkedLater,
  maxTokens: checkedLater,
  stopTokenIds: checkedLater,
  ignoreStop: flag,
  constraint: checkedLater,
  logprobs: checkedLater,
  caller: checkedLater,
  cacheSalt: checkedLater,
  priority: checkedLater,
  deadlineMs: checkedLater,
};

function rulesOf<Settings extends object>(settings: Settings): OptionTable<Settings> {
  const rules: [string, OptionRule][] = Object.keys(settings).map((name) => [name, checkedLater]);
  return Object.fromEntries(rules) as OptionTable<Settings>;
}

/** Selects the sampling options. A sampler with several settings takes them as one object, which is checked too. */
function toSampling(given: object): Partial<Sampling> {
  const entries = Object.entries(given)
    .filter(([name]) => name in neutralSampling)
    .map(([name, value]): [string, unknown] => {
      const group: unknown = Reflect.get(neutralSampling, name);
      return [name, isGroup(group) ? checkOptions<object>(name, value, rulesOf(group)) : value];
    });
  return Object.fromEntries(entries);
}

/** Sampling values and stop ids that a model recommends. */
type Generation = RecommendedSampling & { readonly stopTokenIds: readonly number[] };

/**
 * Creates the engine's request. Null and undefined options count as absent. Errors: `invalid_option`, `invalid_value`.
 */
export function toGenerateRequest(options: GenerateOptions, generation: Generation): GenerateRequest {
  const given = checkOptions('generate', options, generateOptions);
  const { promptTokenIds, maxTokens, stopTokenIds = [], ignoreStop = false } = given;
  const { constraint, logprobs, caller, cacheSalt, priority, deadlineMs, seed } = given;
  const sampling = chooseSampling(toSampling(given), generation, 'chat');
  const isGiven = seed !== undefined && seed !== -1 && seed !== -1n;
  return {
    promptTokenIds: toIds('promptTokenIds', promptTokenIds),
    maxTokens: toCount(maxTokens),
    sampling: {
      ...sampling,
      temperature: sampling.temperature ?? neutralSampling.temperature,
      seed: isGiven ? seed : randomInt(2 ** 47),
    },
    stopTokenIds: [...toIds('stopTokenIds', stopTokenIds), ...(ignoreStop ? [] : generation.stopTokenIds)],
    ignoreStop: false,
    ...(ignoreStop && { mayRepeat: true }),
    ...(constraint !== undefined && { constraint }),
    ...(logprobs !== undefined && { logprobs }),
    ...(caller !== undefined && { caller }),
    ...(cacheSalt !== undefined && { cacheScope: toCacheScope(cacheSalt) }),
    ...(priority !== undefined && { priority }),
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
}

/** Requires a value. The engine checks its range. Errors: `invalid_value`. */
function toCount(maxTokens: number | undefined): number {
  if (maxTokens === undefined) throw invalidValue('maxTokens', maxTokens, 'a whole number from 1 on');
  return maxTokens;
}
