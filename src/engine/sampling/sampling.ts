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

/** How a token is chosen, every value given. `neutralSampling` are the values that do nothing. */
export interface ResolvedSampling {
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
  /** Pairs of a token id and what is added to its logit: -100 to 100, or -Infinity to ban it. Several for one id add up. */
  readonly logitBias: readonly (readonly [tokenId: number, bias: number])[];
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

/** How a token is chosen. What is absent is neutral. */
export interface Sampling extends Partial<Omit<ResolvedSampling, 'temperature' | 'seed' | 'dry' | 'xtc'>> {
  /** 0 is greedy; 1 draws by the probabilities as they are. */
  readonly temperature: number;
  /** A whole number of 64 bits, signed or not; the same seed gives the same tokens. */
  readonly seed: number | bigint;
  /** What continues a repetition. */
  readonly dry?: Partial<DrySettings>;
  /** What is too likely. */
  readonly xtc?: Partial<XtcSettings>;
}

/** Sampling that draws by softmax alone. Values beside a rule that is off are llama.cpp's defaults. */
export const neutralSampling: ResolvedSampling = {
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  seed: 0,
  logitBias: [],
  minTokens: 0,
  repetitionPenalty: 1,
  repeatLastN: 64,
  presencePenalty: 0,
  frequencyPenalty: 0,
  dry: { multiplier: 0, base: 1.75, allowedLength: 2, penaltyLastN: -1, breakerIds: [] },
  typicalP: 1,
  xtc: { probability: 0, threshold: 0.1 },
};

/** Every value of `sampling`, the absent ones neutral. */
export function resolveSampling(sampling: Sampling): ResolvedSampling {
  const { dry, xtc } = neutralSampling;
  return {
    ...neutralSampling,
    ...sampling,
    dry: { ...dry, ...sampling.dry },
    xtc: { ...xtc, ...sampling.xtc },
  };
}
