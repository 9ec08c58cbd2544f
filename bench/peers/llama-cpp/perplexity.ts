import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEngine, type EngineOptions } from '../../../src/index.js';
import { logSumExp } from './compare.js';

/** Tokens that are read at once, each window anew. */
export const WINDOW = 512;

/** The text of the comparison, from the repository's root. */
export const TEXT = 'bench/peers/llama-cpp/text.txt';

/** Negative log likelihood of a text, summed over each window's tokens but its first. */
export interface Likelihood {
  readonly ids: readonly number[];
  readonly sums: readonly number[];
}

/** e to the mean negative log likelihood. */
export function toPerplexity({ sums }: Likelihood): number {
  return Math.exp(sums.reduce((total, sum) => total + sum, 0) / (sums.length * (WINDOW - 1)));
}

/** Ours on the model at `path`, a GGUF file or an artifact. */
export async function ourLikelihood(path: string, root: string, options: EngineOptions = {}): Promise<Likelihood> {
  await using engine = await createEngine(options);
  await using model = await engine.load(path);
  const ids = model.tokenizer.encode(await readFile(join(root, TEXT), 'utf8'), { addSpecialTokens: false });
  const sums: number[] = [];
  for (let start = 0; start + WINDOW <= ids.length; start += WINDOW) {
    const window = ids.slice(start, start + WINDOW);
    const logits = await model.forward(window);
    let sum = 0;
    for (let i = 0; i + 1 < WINDOW; i++) {
      const row = logits.subarray(i * model.vocabSize, (i + 1) * model.vocabSize);
      sum += logSumExp(row) - (row[window[i + 1] as number] as number);
    }
    sums.push(sum);
  }
  return { ids, sums };
}

/** llama.cpp's on the same file, through llama-cpp-python of the interpreter `python`. */
export async function peerLikelihood(python: string, path: string, root: string, threads: number): Promise<Likelihood> {
  const script = join(root, 'bench/peers/llama-cpp/peer.py');
  const args = [script, path, join(root, TEXT), String(WINDOW), String(threads)];
  const { stdout } = await promisify(execFile)(python, args, { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout.slice(stdout.indexOf('{'))) as Likelihood;
}
