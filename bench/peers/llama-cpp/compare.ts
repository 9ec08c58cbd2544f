import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { createEngine, type EngineOptions, type Model } from '../../../src/index.js';
import { generateTexts } from '../tokenizers/texts.js';

/** Where the two best logits are so far apart, float arithmetic in another order changes nothing. */
const CLEAR_MARGIN = 0.5;

/** Ten prompts: questions, sums, code, Chinese, unfinished sentences. */
const PROMPTS: readonly string[] = [
  'Question: What is the capital of Norway?\nAnswer:',
  'The three largest oceans of the world are',
  '12 + 30 = 42\n17 + 25 = 42\n19 + 24 =',
  'def fibonacci(n):\n    """Returns the n-th Fibonacci number."""\n',
  'function debounce(callback, delayMs) {\n  let timer;\n  return ',
  '中国的首都是',
  'Once upon a time there was a',
  'SELECT name, COUNT(*) FROM orders WHERE',
  'Dear Sir or Madam,\n\nI am writing to',
  '{"name": "Ada", "born": 1815, "fields": ["',
];

/** What both engines make of one file. */
export interface Comparison {
  /** Mean negative log-likelihood of a token: ours with its default KV cache and with a float32 one, llama.cpp's with the latter. */
  readonly nll: number;
  readonly floatCacheNll: number;
  readonly peerNll: number;
  /** Tokens that it is the mean of. */
  readonly tokens: number;
  /**
   * Steps of llama.cpp's greedy continuations, those whose best two logits are clearly apart, and in how many of these ours
   * has the same best with a float32 KV cache, as llama.cpp has one, and with its default.
   */
  readonly steps: number;
  readonly clear: number;
  readonly same: number;
  readonly sameByDefault: number;
  /** Texts, and those whose token ids are equal. */
  readonly texts: number;
  readonly sameTexts: number;
}

/** What compare.py answers. */
interface PeerAnswer {
  readonly ids: number[][];
  readonly windows: { readonly ids: number[]; readonly nll: number }[];
  readonly prompts: { readonly ids: number[]; readonly continuation: number[]; readonly margins: number[] }[];
}

/** A long English text: the product's specification where it lies beside the project, else its architecture. */
function readText(root: string): string {
  const specification = join(root, '../shared/design/specification.md');
  return readFileSync(existsSync(specification) ? specification : join(root, 'ARCHITECTURE.md'), 'utf8');
}

/** Runs llama.cpp, through llama-cpp-python of the interpreter `python`, and ours on the GGUF file at `path`. */
export async function compareWithPeer(
  python: string,
  path: string,
  root: string,
  options: EngineOptions & { readonly threads: number; readonly window?: number },
): Promise<Comparison> {
  const { window = 1000, ...engineOptions } = options;
  const texts = generateTexts(40, 7);
  const work = { texts, text: readText(root), window, windows: 2, prompts: PROMPTS, tokens: 64 };
  const peer = await askPeer(python, path, root, options.threads, work);
  const tokens = peer.windows.reduce((sum, { ids }) => sum + ids.length - 1, 0);
  const byDefault = await measureOurs(path, peer, texts, engineOptions);
  const withFloats = await measureOurs(path, peer, texts, { ...engineOptions, kvCache: 'f32' });
  return {
    nll: byDefault.nll / tokens,
    floatCacheNll: withFloats.nll / tokens,
    peerNll: peer.windows.reduce((sum, { nll }) => sum + nll, 0) / tokens,
    tokens,
    steps: withFloats.steps,
    clear: withFloats.clear,
    same: withFloats.same,
    sameByDefault: byDefault.same,
    texts: texts.length,
    sameTexts: withFloats.sameTexts,
  };
}

/** Ours on what llama.cpp has answered; `nll` summed. */
async function measureOurs(path: string, peer: PeerAnswer, texts: readonly string[], options: EngineOptions) {
  await using engine = await createEngine(options);
  await using model = await engine.load(path);
  let nll = 0;
  for (const { ids } of peer.windows) nll += await negativeLogLikelihood(model, ids);
  const counts = { steps: 0, clear: 0, same: 0 };
  for (const prompt of peer.prompts) await countSteps(model, prompt, counts);
  const sameTexts = texts.filter((text, index) => {
    const ours = model.tokenizer.encode(text, { addSpecialTokens: false });
    return JSON.stringify(ours) === JSON.stringify(peer.ids[index]);
  });
  return { nll, ...counts, sameTexts: sameTexts.length };
}

async function askPeer(python: string, path: string, root: string, threads: number, work: object): Promise<PeerAnswer> {
  const script = join(root, 'bench/peers/llama-cpp/compare.py');
  const child = spawn(python, [script, path, String(threads)], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(work));
  const [answer, [code]] = await Promise.all([json(child.stdout).catch(() => undefined), once(child, 'close')]);
  if (code !== 0 || answer === undefined) throw new Error(`llama.cpp failed on ${path} (exit code ${String(code)})`);
  return answer as PeerAnswer;
}

/** Of all tokens but the first, summed. */
async function negativeLogLikelihood(model: Model, ids: readonly number[]): Promise<number> {
  const logits = await model.forward([...ids]);
  let sum = 0;
  for (let i = 0; i + 1 < ids.length; i++) {
    const row = logits.subarray(i * model.vocabSize, (i + 1) * model.vocabSize);
    sum += logSumExp(row) - (row[ids[i + 1] as number] as number);
  }
  return sum;
}

/** Feeds a prompt with llama.cpp's continuation, and looks where our best token is the same. */
async function countSteps(
  model: Model,
  { ids, continuation, margins }: PeerAnswer['prompts'][number],
  counts: { steps: number; clear: number; same: number },
): Promise<void> {
  const logits = await model.forward([...ids, ...continuation.slice(0, -1)]);
  for (const [step, token] of continuation.entries()) {
    counts.steps++;
    if ((margins[step] ?? 0) < CLEAR_MARGIN) continue;
    counts.clear++;
    const at = ids.length - 1 + step;
    const row = logits.subarray(at * model.vocabSize, (at + 1) * model.vocabSize);
    if (indexOfMost(row) === token) counts.same++;
  }
}

function indexOfMost(row: Float32Array): number {
  let most = 0;
  for (let i = 1; i < row.length; i++) if ((row[i] as number) > (row[most] as number)) most = i;
  return most;
}

export function logSumExp(row: Float32Array): number {
  const most = row[indexOfMost(row)] as number;
  let sum = 0;
  for (const logit of row) sum += Math.exp(logit - most);
  return Math.log(sum) + most;
}
