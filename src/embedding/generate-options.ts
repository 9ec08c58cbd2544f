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

/** The same fields, each of which may be left out. */
export type Nullable<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null | undefined };

/** A prompt of token ids to continue. Absent sampling values are what the model's makers recommend, else the library's defaults. */
export interface GenerateOptions extends Nullable<Sampling> {
  /** The prompt, at least one id. */
  readonly promptTokenIds: ArrayLike<number>;
  /** The most tokens to come; the context may end it earlier. */
  readonly maxTokens: number;
  /** A whole number, beyond 2^53 a bigint, of 64 bits; absent or -1: another one each time. */
  readonly seed?: number | bigint | null | undefined;
  /** Ids that end it, beside the model's own. */
  readonly stopTokenIds?: readonly number[] | null | undefined;
  /** Go on at the model's own stop ids: they are tokens like others. */
  readonly ignoreStop?: boolean | null | undefined;
  /** Which tokens may come, token by token; its end is an end by `stop`, and no token. */
  readonly constraint?: ConstraintSpec | null | undefined;
  /** Alternatives to give the logprobs of beside each token's own, 0 to 20. Absent: no logprobs. */
  readonly logprobs?: number | null | undefined;
  /**
   * Who asks: callers wait equally long, however much each asks, and one that asks again need not compute the last tokens of what
   * it had asked before. While others wait, one holds at most half of the slots. Absent: one caller that all such requests
   * share.
   */
  readonly caller?: string | null | undefined;
  /** Shares cached prefixes with the calls of the same salt only, 1 to 256 characters. Absent: with all that have none. */
  readonly cacheSalt?: string | null | undefined;
  /** Higher runs first; default 0. */
  readonly priority?: number | null | undefined;
  /** Milliseconds from when the engine has it until it ends with `deadline_exceeded`. Absent: none. */
  readonly deadlineMs?: number | null | undefined;
}

/** How tokens are chosen: every value is the engine's to check. */
const samplingRules = rulesOf(neutralSampling);

/** What `generate` takes. */
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

/** What of the options is sampling; the settings of a sampler that has several are options of their own. */
function toSampling(given: object): Partial<Sampling> {
  const entries = Object.entries(given)
    .filter(([name]) => name in neutralSampling)
    .map(([name, value]): [string, unknown] => {
      const group: unknown = Reflect.get(neutralSampling, name);
      return [name, isGroup(group) ? checkOptions<object>(name, value, rulesOf(group)) : value];
    });
  return Object.fromEntries(entries);
}

/** What the makers of a model say of how it generates. */
type Generation = RecommendedSampling & { readonly stopTokenIds: readonly number[] };

/** The engine's request. Options that are null or undefined count as absent. Errors: `invalid_option`, `invalid_value`. */
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

/** How many is the engine's to check. Errors: `invalid_value`. */
function toCount(maxTokens: number | undefined): number {
  if (maxTokens === undefined) throw invalidValue('maxTokens', maxTokens, 'a whole number from 1 on');
  return maxTokens;
}
