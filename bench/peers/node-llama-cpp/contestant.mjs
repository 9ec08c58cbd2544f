// node bench/peers/node-llama-cpp/contestant.mjs <folder with node_modules> <file.gguf> <threads>
// llama.cpp through its Node binding as a contestant (bench/contest/measures.ts): a line of JSON in, a task; a line out,
// its rate.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder, file, threadsText] = process.argv.slice(2);
const threads = Number(threadsText);
const entry = createRequire(join(folder, 'package.json')).resolve('node-llama-cpp');
const { getLlama, LlamaLogLevel } = await import(pathToFileURL(entry).href);
const llama = await getLlama({
  gpu: false,
  build: 'never',
  logLevel: LlamaLogLevel.error,
  progressLogs: false,
  maxThreads: threads,
});
const model = await llama.loadModel({ modelPath: file });

/** Short, long and many conversations have contexts of their own, as a server made for each would have. */
const contexts = new Map();
async function sequencesOf({ prompts, genTokens }) {
  const longest = Math.max(...prompts.map(({ length }) => length)) + genTokens;
  const size = 256 * (Math.floor(longest / 256) + 1);
  const key = `${size} ${prompts.length}`;
  if (!contexts.has(key)) {
    const sequences = prompts.length;
    const context = await model.createContext({ contextSize: size, batchSize: 512, threads, sequences });
    contexts.set(
      key,
      prompts.map(() => context.getSequence()),
    );
  }
  return contexts.get(key);
}

async function generate(sequence, prompt, genTokens) {
  const times = [];
  for await (const token of sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true })) {
    times.push(performance.now());
    if (times.length >= genTokens || token === undefined) break;
  }
  return times;
}

/** Empties a sequence's cache, or leaves of it a kept prompt but for its last token, which is computed for its logits. */
async function rewind(sequence, prompt, isPromptKept) {
  const end = sequence.nextTokenIndex;
  if (!isPromptKept) await sequence.clearHistory();
  else if (end > 0) await sequence.eraseContextTokenRanges([{ start: prompt.length - 1, end }]);
  return prompt.slice(sequence.nextTokenIndex);
}

async function run(task) {
  const { rateOf, genTokens, isPromptKept, prompts } = task;
  const sequences = await sequencesOf(task);
  const rest = await Promise.all(prompts.map((prompt, i) => rewind(sequences[i], prompt, isPromptKept)));
  const start = performance.now();
  const times = await Promise.all(rest.map((prompt, i) => generate(sequences[i], prompt, genTokens)));
  const from = Math.max(...times.map(([first]) => first));
  if (rateOf === 'prompt') return (prompts.reduce((sum, { length }) => sum + length, 0) * 1000) / (from - start);
  const to = Math.min(...times.map((all) => all.at(-1)));
  const tokens = times.reduce((sum, all) => sum + all.filter((at) => at > from && at <= to).length, 0);
  return (tokens * 1000) / (to - from);
}

console.log(JSON.stringify({ peer: 'node-llama-cpp 3.22.1', node: process.version }));
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify({ rate: await run(JSON.parse(line)) }));
}
process.exit(0);
