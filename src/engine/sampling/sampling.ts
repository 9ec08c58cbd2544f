import type { LogitBias } from './sampler.js';
import { neutralValues } from './samplers/index.js';

/** The numbers of all samplers. */
export type SamplerValues = typeof neutralValues;

/** Don't repeat yourself: penalises tokens that continue a repetition. multiplier 0 is off. */
export interface DrySettings {
  /** Strength of the penalty; 0 is off. */
  readonly multiplier: number;
  /** Growth of the penalty with each token of the repetition. */
  readonly base: number;
  /** The longest repetition without a penalty. */
  readonly allowedLength: number;
  /** Number of last tokens of prompt and completion to compare; -1: all. */
  readonly penaltyLastN: number;
  /** Sequence breakers: a repetition does not extend across these tokens. */
  readonly breakerIds: readonly number[];
}

/** Exclude top choices: with `probability`, of the tokens at least as likely as `threshold` only the least likely stays. */
export interface XtcSettings {
  /** How often, 0 to 1; 0 is off. */
  readonly probability: number;
  /** Probability from which a token counts as one of the likeliest. */
  readonly threshold: number;
}

/**
 * How a token is chosen, every value set. `neutralSampling` has the values without effect. `SamplerValues` has the
 * samplers' numbers; those repeated here get docs that an editor shows.
 */
export interface ResolvedSampling extends SamplerValues, LogitBias {
  /** 0 is greedy: the largest logit after bias and penalties, of equal ones the lowest id. */
  readonly temperature: number;
  /** Keeps the likeliest tokens with this share of the probability; 1 keeps all. */
  readonly topP: number;
  /** Keeps this many of the likeliest tokens; 0 or -1 keeps all. */
  readonly topK: number;
  /** Keeps tokens with at least this share of the likeliest token's probability; 0 keeps all. */
  readonly minP: number;
  /** A whole number of 64 bits, signed or not; the same seed gives the same tokens, alone or in a batch. */
  readonly seed: number | bigint;
  /** Stop ids are banned before this many tokens. */
  readonly minTokens: number;
  /** Penalty over the last `repeatLastN` tokens of prompt and completion. */
  readonly repetitionPenalty: number;
  /** -1: all; 0: none. */
  readonly repeatLastN: number;
  /** Penalty on generated tokens, once. */
  readonly presencePenalty: number;
  /** Penalty on generated tokens, for each occurrence. */
  readonly frequencyPenalty: number;
  /** Penalty on tokens that continue a repetition. */
  readonly dry: DrySettings;
  /** Keeps tokens about as surprising as the average; 1 keeps all. */
  readonly typicalP: number;
  /** Drops the likeliest tokens. */
  readonly xtc: XtcSettings;
}

/** Values of which any may be absent, also within a group. */
export type Absentable<Values> = {
  readonly [Name in keyof Values]?:
    | (Values[Name] extends number | bigint | readonly unknown[] ? Values[Name] : Absentable<Values[Name]>)
    | undefined;
};

/** How a token is chosen. Absent values are neutral. */
export interface Sampling extends Absentable<Omit<ResolvedSampling, 'temperature' | 'seed'>> {
  /** 0 is greedy; 1 draws by the unchanged probabilities. */
  readonly temperature: number;
  /** A whole number of 64 bits, signed or not; the same seed gives the same tokens. */
  readonly seed: number | bigint;
}

/** Sampling that draws by softmax alone. */
export const neutralSampling: ResolvedSampling = {
  ...neutralValues,
  dry: { ...neutralValues.dry, breakerIds: [] },
  seed: 0,
  logitBias: [],
};

/** Every value of `sampling`, the absent ones neutral. */
export function resolveSampling(sampling: Absentable<ResolvedSampling>): ResolvedSampling {
  return mergeSampling(neutralSampling, sampling) as ResolvedSampling;
}

/** The values of `given`, and those of `defaults` where it has none; group by group. */
export function mergeSampling(defaults: object, given: object): object {
  const all: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    const group: unknown = Reflect.get(defaults, name);
    if (value !== undefined) all[name] = isGroup(group) && isGroup(value) ? mergeSampling(group, value) : value;
  }
  return all;
}

/** Whether these are the values of one sampler. */
export function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
