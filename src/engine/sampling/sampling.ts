import type { LogitBias } from './sampler.js';
import { neutralValues } from './samplers/index.js';

/** The numbers that samplers take. */
export type SamplerValues = typeof neutralValues;

/** Don't repeat yourself: what continues a repetition is penalised. multiplier 0 is off. */
export interface DrySettings {
  /** How much it costs; 0 is off. */
  readonly multiplier: number;
  /** By how much the cost grows with each token of the repetition. */
  readonly base: number;
  /** The longest repetition that costs nothing. */
  readonly allowedLength: number;
  /** Tokens looked at, the last ones of prompt and completion; -1: all. */
  readonly penaltyLastN: number;
  /** Tokens across which nothing counts as repeated. */
  readonly breakerIds: readonly number[];
}

/** Exclude top choices: with `probability`, of the tokens at least as likely as `threshold` only the least likely stays. */
export interface XtcSettings {
  /** How often, 0 to 1; 0 is off. */
  readonly probability: number;
  /** From which probability on a token counts as one of the likeliest. */
  readonly threshold: number;
}

/**
 * How a token is chosen, every value given. `neutralSampling` are the values that do nothing. The samplers' numbers are here
 * by `SamplerValues`; one that is written out too has words that an editor shows.
 */
export interface ResolvedSampling extends SamplerValues, LogitBias {
  /** 0 is greedy: the largest logit after bias and penalties, of equal ones the lowest id. */
  readonly temperature: number;
  /** Of the likeliest tokens as many as have this share of the probability; 1 is all. */
  readonly topP: number;
  /** The so many likeliest tokens; 0 or -1 is all. */
  readonly topK: number;
  /** Tokens at least this part as likely as the likeliest; 0 is all. */
  readonly minP: number;
  /** A whole number of 64 bits, signed or not; the same seed gives the same tokens, alone or in a batch. */
  readonly seed: number | bigint;
  /** Stop ids cannot come before so many tokens. */
  readonly minTokens: number;
  /** Over the last `repeatLastN` tokens of prompt and completion. */
  readonly repetitionPenalty: number;
  /** -1: all; 0: none. */
  readonly repeatLastN: number;
  /** Over generated tokens, once. */
  readonly presencePenalty: number;
  /** Over generated tokens, for each time. */
  readonly frequencyPenalty: number;
  /** What continues a repetition. */
  readonly dry: DrySettings;
  /** Tokens about as surprising as the average; 1 is all. */
  readonly typicalP: number;
  /** What is too likely. */
  readonly xtc: XtcSettings;
}

/** Values of which any may be absent, those of a group too. */
export type Absentable<Values> = {
  readonly [Name in keyof Values]?:
    | (Values[Name] extends number | bigint | readonly unknown[] ? Values[Name] : Absentable<Values[Name]>)
    | undefined;
};

/** How a token is chosen. What is absent is neutral. */
export interface Sampling extends Absentable<Omit<ResolvedSampling, 'temperature' | 'seed'>> {
  /** 0 is greedy; 1 draws by the probabilities as they are. */
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
