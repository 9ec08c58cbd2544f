// The quants of GGUF files as publishers write them into names.
import { readPartName } from './part-names.js';

/** Published facts about a quant. */
export interface QuantFacts {
  /** Bits of a weight, scales included. */
  readonly bits: number;
  /** Its loss: the mean KL divergence from the unquantised model, in nats a token. */
  readonly loss: number;
}

/**
 * Bits: llama.cpp, tools/quantize/README.md, Llama 3.1 8B. Losses: tools/perplexity/README.md, "LLaMA 3 8b Scoreboard", with an
 * importance matrix for the IQ quants and without one for the others. Rows marked with a star are not in these tables: their
 * bits are those of their blocks, their losses those of the nearest row. Read on 2026-11-27.
 */
const TABLE: ReadonlyMap<string, QuantFacts> = new Map(
  (
    [
      ['IQ1_S', 2.0, 2.25],
      ['TQ1_0', 1.7, 2.25], // *
      ['IQ1_M', 2.15, 1.39],
      ['TQ2_0', 2.1, 1.39], // *
      ['IQ2_XXS', 2.38, 0.812],
      ['IQ2_XS', 2.59, 0.546],
      ['IQ2_S', 2.74, 0.439],
      ['IQ2_M', 2.93, 0.326],
      ['Q2_K_S', 2.97, 0.403],
      ['Q2_K', 3.16, 0.445],
      ['Q2_K_L', 3.2, 0.44], // *
      ['IQ3_XXS', 3.25, 0.184],
      ['IQ3_XS', 3.5, 0.139],
      ['Q3_K_S', 3.64, 0.228],
      ['IQ3_S', 3.66, 0.111],
      ['IQ3_M', 3.76, 0.103],
      ['Q3_K_M', 4.0, 0.102],
      ['Q3_K', 4.0, 0.102],
      ['Q3_K_L', 4.3, 0.0872],
      ['IQ4_XS', 4.46, 0.0363],
      ['MXFP4', 4.5, 0.07], // *
      ['MXFP4_MOE', 4.5, 0.07], // *
      ['NVFP4', 4.75, 0.07], // *
      ['Q4_0', 4.66, 0.0719],
      ['IQ4_NL', 4.68, 0.0357],
      ['Q4_K_S', 4.67, 0.0431],
      ['Q4_K_M', 4.89, 0.0313],
      ['Q4_K', 4.89, 0.0313],
      ['Q4_K_L', 5.0, 0.03], // *
      ['Q4_1', 5.12, 0.0717],
      ['Q5_0', 5.57, 0.0222],
      ['Q5_K_S', 5.57, 0.0166],
      ['Q5_K_M', 5.7, 0.0108],
      ['Q5_K', 5.7, 0.0108],
      ['Q5_1', 6.03, 0.018],
      ['Q6_K', 6.56, 0.00545],
      ['Q8_0', 8.5, 0.00136],
      ['F16', 16, 0],
      ['BF16', 16, 0],
      ['F32', 32, 0],
    ] as const
  ).map(([label, bits, loss]) => [label, { bits, loss }]),
);

/** Replaces a label that is not in the table, by its digit: publishers make new mixes faster than tables are written. */
const BY_DIGIT: ReadonlyMap<string, string> = new Map([
  ['1', 'IQ1_M'],
  ['2', 'Q2_K'],
  ['3', 'Q3_K_M'],
  ['4', 'Q4_K_M'],
  ['5', 'Q5_K_M'],
  ['6', 'Q6_K'],
  ['7', 'Q8_0'],
  ['8', 'Q8_0'],
]);
/** Bits that a mix with larger embeddings and outputs takes beyond the `M` of its digit: an estimate. */
const LARGER: ReadonlyMap<string, number> = new Map([
  ['L', 0.1],
  ['XL', 0.2],
  ['XXL', 0.4],
]);
/** Blocks that only ik_llama.cpp and early versions of llama.cpp know: IQ4_KS, Q4_0_R8, Q4_0_4_4. */
const FOREIGN = /^IQ\d_K|_(?:KSS?|KT|KL|BN|R\d{1,2})$|_\d_\d$/;

const BASE = String.raw`(?:I?Q\d|TQ\d|MXFP\d|NVFP\d)(?:_(?:[A-Z]|\d{1,2}|NL|XXS|XS|XL|XXL|KSS?|KT|KL|BN|MOE|R\d{1,2}))*|BF16|FP?16|FP?32`;
const LABEL = new RegExp(String.raw`(?<![A-Za-z0-9])((?:UD-)?(?:${BASE}))(?![A-Za-z0-9])`, 'gi');
const WHOLE = new RegExp(`^(?:UD-)?(?:${BASE})$`);
/** Publishers' prefix of a quant that was made with an importance matrix. */
const MATRIX = /^(?:I1|IMAT|IMATRIX)[-._]/;

/**
 * The quant in the name of a file or folder, without `.gguf`: in upper case, with `UD-` for Unsloth's dynamic mixes,
 * `FP16` as `F16`. The last one in it; undefined without one.
 */
export function readQuantLabel(name: string): string | undefined {
  const labels = [...name.matchAll(LABEL)].map(([, label = '']) => toOurSpelling(label));
  return labels.findLast((label) => TABLE.has(plainQuant(label))) ?? labels.at(-1);
}

/** The quant that a user means: `fp16`, `i1-Q4_K_M`, `Q4_K_M.gguf` and the name of a file are read as the hub's names are. */
export function toQuantLabel(text: string): string {
  const stem = text.replace(/\.gguf$/i, '');
  const isFile = stem !== text;
  const label = toOurSpelling(readPartName(text)?.stem ?? stem).replace(MATRIX, '');
  return isFile && !WHOLE.test(label) ? (readQuantLabel(label) ?? label) : label;
}

/** The label without `UD-`. */
export function plainQuant(label: string): string {
  return label.replace(/^UD-/, '');
}

/** The facts about a label, or about the nearest to it; undefined where even its digit is unknown. */
export function quantFactsOf(label: string): QuantFacts | undefined {
  const plain = plainQuant(label);
  const exact = TABLE.get(plain);
  if (exact !== undefined) return exact;
  const [, digit = '', size = ''] = /^[A-Z]+(\d)(?:.*_([A-Z]+))?$/.exec(plain) ?? [];
  const near = TABLE.get(BY_DIGIT.get(digit) ?? '');
  return near && { bits: near.bits + (LARGER.get(size) ?? 0), loss: near.loss };
}

/** Whether the weights are published as they were trained. */
export function isUnquantised(label: string): boolean {
  return /^(?:BF16|F16|F32)$/.test(label);
}

/** Whether the blocks of a quant are none that this engine reads. */
export function isForeignQuant(label: string): boolean {
  return FOREIGN.test(plainQuant(label));
}

function toOurSpelling(text: string): string {
  return text.toUpperCase().replace(/^FP(?=16$|32$)/, 'F');
}
