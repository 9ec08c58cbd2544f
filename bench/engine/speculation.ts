// node dist/bench/engine/speculation.js <1.1b artifact>: what guessing ahead is worth, JSON lines. On and off in turn.
// Make the artifact with `native-engine bench shape:1.1b --quant q4`, which keeps it in ~/.troupe/bench.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { present } from '../../src/base/index.js';
import type { GenerateRequest } from '../../src/engine/index.js';
import { createEngine, type ChatCompletionRequest } from '../../src/index.js';
import { startEngine } from './model-tree.js';

const threads = availableParallelism();
const directory = present(process.argv[2], 'the first argument is an artifact of shape:1.1b');
const ROUNDS = 5;
/** Tokens of a recorded text. */
const RECORDED = 256;
/** Of the text that repeats its prompt every so many-th token is another. */
const EDIT_EVERY = 16;

/** Tokens a second, on and off, and whether the tokens were the same. */
interface Pair {
  readonly on: number;
  readonly off: number;
  readonly equal: boolean;
}

/** The demo model tells each story a second time, which repeats most of the first. */
async function copyingOnDemo(): Promise<Pair> {
  await using on = await createEngine({ speculation: true });
  await using off = await createEngine({ speculation: false });
  const models = { on: await on.load('demo'), off: await off.load('demo') };
  const questions = ['an owl', 'a bear', 'a fox', 'a cat', 'a tiger', 'a dog', 'a mouse', 'a horse'];
  const conversations: ChatCompletionRequest['messages'][] = [];
  for (const animal of questions) {
    const question = { role: 'user' as const, content: `Tell me a story about ${animal}.` };
    const told = await models.off.chat({ messages: [question], temperature: 0 });
    const content = told.choices[0]?.message.content ?? '';
    conversations.push([question, { role: 'assistant', content }, question]);
  }
  return await inTurn(async (which) => {
    const texts: string[] = [];
    let tokens = 0;
    for (const messages of conversations) {
      const answer = await models[which].chat({ messages, temperature: 0 });
      tokens += answer.usage.completion_tokens;
      texts.push(answer.choices[0]?.message.content ?? '');
    }
    return { tokens, text: texts.join('\n') };
  });
}

/** The 1.1B shape says a recorded text, one allowed token a step. */
async function recorded(promptTokenIds: readonly number[], text: readonly number[]): Promise<Pair> {
  await using on = await startEngine(directory, { threads, speculation: true });
  await using off = await startEngine(directory, { threads, speculation: false });
  const request: GenerateRequest = {
    promptTokenIds,
    maxTokens: text.length,
    sampling: { temperature: 0, seed: 0 },
    stopTokenIds: [],
    ignoreStop: true,
    constraint: { kind: 'automaton', states: [...text.map((id, i) => [[id, i + 1] as const]), []] },
  };
  return await inTurn(async (which) => {
    const tokens: number[] = [];
    for await (const { tokenIds } of (which === 'on' ? on : off).client.generate(request)) tokens.push(...tokenIds);
    return { tokens: tokens.length, text: tokens.join(' ') };
  });
}

/** Median tokens a second of alternating runs, after one of each that warms up (and fills the prefix cache). */
async function inTurn(run: (which: 'on' | 'off') => Promise<{ tokens: number; text: string }>): Promise<Pair> {
  const rates = { on: [] as number[], off: [] as number[] };
  const texts = new Set<string>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const which of round % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
      const start = performance.now();
      const { tokens, text } = await run(which);
      if (round > 0) rates[which].push((tokens * 1000) / (performance.now() - start));
      texts.add(text);
    }
  }
  return { on: median(rates.on), off: median(rates.off), equal: texts.size === 1 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function print(bench: string, { on, off, equal }: Pair): void {
  console.log(JSON.stringify({ bench, on, off, ratio: on / off, equal, threads, node: process.version }));
}

/** Prose of ours as ids of the demo model's tokenizer, which the shape's vocabulary holds too. */
async function prose(file: string): Promise<number[]> {
  await using engine = await createEngine({ threads: 1 });
  const model = await engine.load('demo');
  return Array.from(model.tokenizer.encode(readFileSync(file, 'utf8')));
}

print('demo tells a story again', await copyingOnDemo());
const text = await prose('ARCHITECTURE.md');
const source = text.slice(1000, 1000 + RECORDED);
const edited = source.map((id, i) => (i % EDIT_EVERY === EDIT_EVERY - 1 ? (id * 7 + 11) % 1500 : id));
print('1.1b repeats its prompt with every 16th token changed', await recorded(source, edited));
print('1.1b goes on with prose', await recorded(source, text.slice(4000, 4000 + RECORDED)));
