// The quants of GGUF files, as publishers write them into names.

/** Bits of a weight by label. Source: llama.cpp, tools/quantize/README.md, measured on Llama 3.1 8B; exotic ones by their blocks. */
const BITS: ReadonlyMap<string, number> = new Map([
  ['IQ1_S', 2.0],
  ['IQ1_M', 2.15],
  ['TQ1_0', 1.7],
  ['TQ2_0', 2.1],
  ['IQ2_XXS', 2.39],
  ['IQ2_XS', 2.59],
  ['IQ2_S', 2.74],
  ['IQ2_M', 2.93],
  ['Q2_K_S', 2.97],
  ['Q2_K', 3.16],
  ['Q2_K_L', 3.2],
  ['IQ3_XXS', 3.25],
  ['IQ3_XS', 3.5],
  ['Q3_K_S', 3.64],
  ['IQ3_S', 3.66],
  ['IQ3_M', 3.76],
  ['Q3_K_M', 4.0],
  ['Q3_K_L', 4.3],
  ['IQ4_XS', 4.46],
  ['MXFP4', 4.5],
  ['MXFP4_MOE', 4.5],
  ['Q4_0', 4.66],
  ['IQ4_NL', 4.68],
  ['Q4_K_S', 4.67],
  ['Q4_K_M', 4.89],
  ['Q4_K_L', 5.0],
  ['Q4_1', 5.12],
  ['Q5_0', 5.57],
  ['Q5_K_S', 5.57],
  ['Q5_K_M', 5.7],
  ['Q5_1', 6.03],
  ['Q6_K', 6.56],
  ['Q8_0', 8.5],
  ['F16', 16],
  ['BF16', 16],
  ['F32', 32],
]);

/** What is taken where nobody asks. */
export const DEFAULT_QUANT = 'Q4_K_M';
const LABEL = /(?:^|[-._])(?:UD-)?((?:I?Q\d|TQ\d|MXFP\d)(?:_[A-Z0-9]{1,4}){0,3}|B?F16|F32)(?=$|[-._])/gi;

/** The quant that the name of a file or folder says, in upper case: the last one in it; undefined where it says none. */
export function readQuantLabel(name: string): string | undefined {
  const labels = [...name.matchAll(LABEL)].map(([, label = '']) => label.toUpperCase());
  return labels.findLast((label) => BITS.has(label)) ?? labels.at(-1);
}

/** The labels in the order in which they are taken where nobody asks: `Q4_K_M`, then by nearness in bits, the larger first. */
export function byPreference(labels: readonly (string | undefined)[]): (string | undefined)[] {
  const wanted = BITS.get(DEFAULT_QUANT) ?? 0;
  const distance = (label: string | undefined): number => {
    const bits = label === undefined ? undefined : BITS.get(label);
    return bits === undefined ? Infinity : Math.abs(bits - wanted);
  };
  const bitsOf = (label: string | undefined): number => BITS.get(label ?? '') ?? 0;
  return labels.toSorted((a, b) => {
    if ((a === DEFAULT_QUANT) !== (b === DEFAULT_QUANT)) return a === DEFAULT_QUANT ? -1 : 1;
    const [near, other] = [distance(a), distance(b)];
    return near === other ? bitsOf(b) - bitsOf(a) : near - other;
  });
}
