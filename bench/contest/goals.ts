// What is to be reached, from the design: each line beside llama.cpp compiled for the machine (bare), its Node binding
// (node) and the memory's bandwidth of the same run.

import type { MeasureName } from './measures.js';

/** Least ratios to a peer, or to the tokens that the memory's bandwidth allows; reaching any one of `bare` and `memory` is enough. */
export interface Goal {
  readonly bare?: number;
  readonly memory?: number;
  readonly node?: number;
}

/** Files of the contest, by the name that a table shows: a shape with random weights, or a published file. */
export const files = {
  '1.1B Q4_0': { shape: '1.1b', type: 'Q4_0' },
  '1.1B Q8_0': { shape: '1.1b', type: 'Q8_0' },
  '0.5B Q4_0': { shape: '0.5b', type: 'Q4_0' },
  'SmolLM2 Q4_1': 'smollm2',
  'Qwen 1.5B Q4_K_M': 'qwen2.5-coder-1.5b-instruct-q4_k_m.gguf',
  'Qwen 0.5B Q4_K_M': 'qwen2.5-coder-0.5b-instruct-q4_k_m.gguf',
  'Gemma 270M Q4_K_M': 'gemma3-270m-q4_k_m.gguf',
} as const;

export type FileName = keyof typeof files;

/** One line of the table. */
export interface GoalLine {
  readonly file: FileName;
  readonly measure: MeasureName;
  /** From Node 24 on, whose compiler joins two vector operations into a wider one. */
  readonly wide: Goal;
  /** Of Node 20 and 22, which cannot; empty where only right answers are asked of them. */
  readonly narrow: Goal;
}

const DECODE_OVER_NODE = 1.5;
const PREFILL_OVER_NODE = 1.25;

export const goalLines: readonly GoalLine[] = [
  {
    file: '1.1B Q4_0',
    measure: 'decode',
    wide: { bare: 1.05, memory: 0.88, node: DECODE_OVER_NODE },
    narrow: { bare: 0.6 },
  },
  { file: '1.1B Q4_0', measure: 'prefill', wide: { bare: 1.2, node: PREFILL_OVER_NODE }, narrow: { bare: 0.55 } },
  { file: '1.1B Q4_0', measure: 'long', wide: { bare: 1.05 }, narrow: { bare: 0.6 } },
  { file: '1.1B Q4_0', measure: 'many', wide: { bare: 1.1 }, narrow: { bare: 0.55 } },
  { file: '1.1B Q8_0', measure: 'decode', wide: { memory: 0.88, node: DECODE_OVER_NODE }, narrow: { bare: 0.65 } },
  { file: '1.1B Q8_0', measure: 'prefill', wide: { bare: 1.2, node: PREFILL_OVER_NODE }, narrow: { bare: 0.55 } },
  { file: '0.5B Q4_0', measure: 'decode', wide: { bare: 1.05, node: DECODE_OVER_NODE }, narrow: { bare: 0.6 } },
  { file: 'SmolLM2 Q4_1', measure: 'decode', wide: { bare: 1.5, node: DECODE_OVER_NODE }, narrow: { bare: 0.9 } },
  { file: 'SmolLM2 Q4_1', measure: 'prefill', wide: { bare: 1.5, node: PREFILL_OVER_NODE }, narrow: { bare: 0.7 } },
  { file: 'Qwen 1.5B Q4_K_M', measure: 'decode', wide: { bare: 1.1, memory: 0.88 }, narrow: {} },
  { file: 'Qwen 1.5B Q4_K_M', measure: 'prefill', wide: { bare: 1.2 }, narrow: {} },
  { file: 'Qwen 0.5B Q4_K_M', measure: 'decode', wide: { bare: 1.5 }, narrow: {} },
  { file: 'Qwen 0.5B Q4_K_M', measure: 'prefill', wide: { bare: 1.2 }, narrow: {} },
  { file: 'Gemma 270M Q4_K_M', measure: 'decode', wide: { bare: 1.5 }, narrow: {} },
  { file: 'Gemma 270M Q4_K_M', measure: 'prefill', wide: { bare: 1.2 }, narrow: {} },
];

/** The goal of a line for Node of this version (`v24.1.0` or `24.1.0`). */
export function goalOf(line: GoalLine, node: string): Goal {
  return Number.parseInt(node.replace(/^v/, ''), 10) >= 24 ? line.wide : line.narrow;
}
