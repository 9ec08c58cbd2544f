// The measures that every contestant runs, in numbers. Prompts are ordinary token ids that no run repeats, so no contestant can
// answer from a cache. Only the number of tokens matters, not their values.

/** What one run of a measure is. All decode greedily, without speculation; times begin or end at a token. */
export interface Measure {
  readonly title: string;
  /** Tokens of prompt, of which none is cached, but for `long`. */
  readonly promptTokens: number;
  /** Tokens generated; the first ends the prompt's time, the others are decode. */
  readonly genTokens: number;
  readonly sequences: number;
  /** Whether the rate is the prompt's (prompt tokens until the first token) or decode's (tokens after the first). */
  readonly rateOf: 'prompt' | 'decode';
  /** Runs share one prompt that each contestant computed once, before the first: only decode at its end is measured. */
  readonly isPromptKept: boolean;
}

export const measures = {
  decode: { title: 'decode', promptTokens: 16, genTokens: 64, sequences: 1, rateOf: 'decode', isPromptKept: false },
  prefill: {
    title: 'prefill of 256',
    promptTokens: 256,
    genTokens: 1,
    sequences: 1,
    rateOf: 'prompt',
    isPromptKept: false,
  },
  long: {
    title: 'decode at 3,000 tokens',
    promptTokens: 3000,
    genTokens: 33,
    sequences: 1,
    rateOf: 'decode',
    isPromptKept: true,
  },
  many: {
    title: '8 sequences together',
    promptTokens: 16,
    genTokens: 129,
    sequences: 8,
    rateOf: 'decode',
    isPromptKept: false,
  },
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof measures;

/** Lowest id of a prompt, above the special tokens of every file here, and how many ids follow it: below each vocabulary. */
const FIRST_ID = 300;
const NUM_IDS = 30_000;

/** The prompt of sequence `sequence` in run `run`: a walk over the ids with steps that share no factor with their number. */
export function promptOf(run: number, sequence: number, length: number): number[] {
  const start = run * 104_729 + sequence * 3571;
  return Array.from({ length }, (_, i) => FIRST_ID + ((start + i * 7919) % NUM_IDS));
}

/** The task of a contestant: everything it needs, so the three programs share only this. */
export interface Task {
  readonly rateOf: 'prompt' | 'decode';
  readonly genTokens: number;
  readonly isPromptKept: boolean;
  /** Token ids of each sequence. */
  readonly prompts: readonly (readonly number[])[];
}

/** The task of one run. */
export function taskOf(name: MeasureName, run: number): Task {
  const { rateOf, genTokens, sequences, promptTokens, isPromptKept }: Measure = measures[name];
  const seed = isPromptKept ? 0 : run;
  const prompts = Array.from({ length: sequences }, (_, sequence) => promptOf(seed, sequence, promptTokens));
  return { rateOf, genTokens, isPromptKept, prompts };
}
