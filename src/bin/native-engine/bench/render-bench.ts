import type { BenchResult } from './bench-measure.js';

/** What is shown of a result: all but the lists of single runs. */
type Shown = {
  [Name in keyof BenchResult]: BenchResult[Name] extends readonly unknown[] ? never : Name;
}[keyof BenchResult];

/** What people call each number, and its unit. */
const labels: { readonly [Name in Shown]: readonly [label: string, unit?: string] } = {
  model: ['model'],
  quant: ['quantization'],
  prefillTokensPerSecond: ['prefill', 'tokens/s'],
  decodeTokensPerSecond: ['decode', 'tokens/s'],
  streamTokensPerSecond: ['streamed answers', 'tokens/s'],
  speculativeTokensPerSecond: ['decode, guessing ahead', 'tokens/s'],
  speculativeStreamTokensPerSecond: ['streamed answers, guessing ahead', 'tokens/s'],
  speculationAcceptanceRate: ['guesses that were right', '%'],
  loadMs: ['load time', 'ms'],
  promptTokens: ['prompt', 'tokens'],
  genTokens: ['generated in each run', 'tokens'],
  threads: ['threads'],
  kernel: ['kernels'],
  placement: ['placement'],
  kvCache: ['KV cache'],
  node: ['Node.js'],
};

/** A result as a table for people. */
export function renderBench(result: BenchResult): string {
  const width = Math.max(...Object.values(labels).map(([label]) => label.length));
  const lines = (Object.keys(labels) as Shown[]).map((name) => {
    const [label, unit] = labels[name];
    return `${label.padEnd(width)}  ${toCell(result[name], unit)}`;
  });
  return [...lines, ...result.kernelNotes.map((text) => `note: ${text}`), ''].join('\n');
}

function toCell(value: string | number | null, unit?: string): string {
  if (value === null) return '–';
  if (typeof value === 'string') return value;
  const scaled = unit === '%' ? value * 100 : value;
  const text = Number.isInteger(value) && unit !== '%' ? String(value) : scaled.toFixed(1);
  return unit === undefined ? text : `${text} ${unit}`;
}
