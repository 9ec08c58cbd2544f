// node bench/peers/node-llama-cpp/bench.mjs [--quant q4_0|q8_0] [--threads 2] [--repeats 3] [--model file.gguf]
// After `npm run build`. Prints one JSON line in the fields of `native-engine bench`. Installs its peer beside itself on the first run.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeShapeFile } from '../../../dist/bench/gguf/shape-file.js';
import { shapes } from '../../../dist/src/convert/index.js';

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: {
    quant: { type: 'string', default: 'q4_0' },
    threads: { type: 'string', default: '2' },
    repeats: { type: 'string', default: '3' },
    model: { type: 'string' },
    'prompt-tokens': { type: 'string', default: '256' },
    'gen-tokens': { type: 'string', default: '64' },
  },
});
const [threads, repeats] = [Number(values.threads), Number(values.repeats)];
const [promptTokens, genTokens] = [Number(values['prompt-tokens']), Number(values['gen-tokens'])];

function install() {
  if (existsSync(join(here, 'node_modules', 'node-llama-cpp'))) return;
  process.stderr.write('installing node-llama-cpp 3.22.1 (its own folder, no install scripts) …\n');
  const args = ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', args, { cwd: here, stdio: ['ignore', 2, 2] });
}

async function modelFile() {
  if (values.model !== undefined) return values.model;
  const directory = join(homedir(), '.troupe', 'bench');
  const path = join(directory, `1.1b-${values.quant}.gguf`);
  if (!existsSync(path)) {
    process.stderr.write(`writing ${path} …\n`);
    mkdirSync(directory, { recursive: true });
    await writeShapeFile(path, shapes['1.1b'], values.quant.toUpperCase());
  }
  return path;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)];
const round = (value) => Math.round(value * 10) / 10;

async function measure(context, model, run, numTokens) {
  const sequence = context.getSequence();
  // A multiplicative walk over the ordinary tokens: another prompt in every run, so that nothing is cached.
  const ids = Array.from({ length: promptTokens }, (_, i) => 300 + ((i * 7919 + run * 104729) % 30000));
  const start = performance.now();
  let [first, last, count] = [0, 0, 0];
  for await (const token of sequence.evaluate(ids, { temperature: 0, yieldEogToken: true })) {
    last = performance.now();
    if (count === 0) first = last;
    if (++count >= numTokens || token === undefined) break;
  }
  sequence.dispose();
  return { prefill: (promptTokens * 1000) / (first - start), decode: ((count - 1) * 1000) / (last - first) };
}

install();
const file = await modelFile();
const { getLlama, LlamaLogLevel } = await import('node-llama-cpp');
const llama = await getLlama({
  gpu: false,
  build: 'never',
  logLevel: LlamaLogLevel.error,
  progressLogs: false,
  maxThreads: threads,
});
const loadStart = performance.now();
const model = await llama.loadModel({ modelPath: file });
const loadMs = performance.now() - loadStart;
const context = await model.createContext({
  contextSize: promptTokens + genTokens + 64,
  batchSize: 512,
  threads,
  sequences: 1,
});
await measure(context, model, 0, 8);
const runs = [];
for (let run = 1; run <= repeats; run++) runs.push(await measure(context, model, run, genTokens));
const prefillRuns = runs.map(({ prefill }) => round(prefill));
const decodeRuns = runs.map(({ decode }) => round(decode));
const result = {
  peer: 'node-llama-cpp 3.22.1',
  model: values.model ?? `shape:1.1b`,
  quant: values.quant,
  prefillTokensPerSecond: median(prefillRuns),
  decodeTokensPerSecond: median(decodeRuns),
  loadMs: round(loadMs),
  threads,
  node: process.version,
  promptTokens,
  genTokens,
  prefillRuns,
  decodeRuns,
};
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
