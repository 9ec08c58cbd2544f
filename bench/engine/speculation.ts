// node dist/bench/engine/speculation.js <1.1b artifact>: what guessing ahead is worth, JSON lines. On and off in turn.
// Make the artifact with `native-engine bench shape:1.1b --quant q4`, which keeps it in the cache directory.

import { availableParallelism } from 'node:os';
import { present } from '../../src/base/index.js';
import { createEngine } from '../../src/index.js';
import { median, significant } from '../record/statistics.js';
import { PROSE } from './prose.js';
import { tellInTurn } from './recorded-text.js';

const threads = availableParallelism();
const directory = present(process.argv[2], 'the first argument is an artifact of shape:1.1b');
/** Runs of the demo's each way, in turns; they take half a second. */
const DEMO_ROUNDS = 31;
/** Pairs of engines that say a recorded text. */
const PAIRS = 4;
/** Tokens of a recorded text. */
const RECORDED = 256;
/** Of the text that repeats its prompt every so many-th token is another. */
const EDIT_EVERY = 16;

/** What one run generated. */
interface Run {
  /** All tokens, as one text. */
  readonly text: string;
  readonly tokens: number;
  /** Requests, each of which has a first token. */
  readonly requests: number;
  /** Milliseconds from the first token to the last, all requests together. */
  readonly decodeMs: number;
}

/** Of whole requests and from the first token to the last; and whether the tokens were the same. */
interface Pair {
  readonly whole: Speed;
  readonly decode: Speed;
  readonly equal: boolean;
}

/** Tokens a second, medians; and the median of what each round, or pair of engines, came to. */
interface Speed {
  readonly on: number;
  readonly off: number;
  readonly ratio: number;
}

/** Questions that the demo model answers a second time with a copy of its first answer, which it has before it. */
const COPIED = [
  'Count from 3 to 12.',
  'Count from 15 to 24.',
  'Count from 31 to 40.',
  'Count from 52 to 61.',
  'Count from 71 to 80.',
  'Extract name, age, job, city as JSON: Hugo, 41, is a baker in Lima.',
  'Give me name, city as JSON. Text: Rosa lives in Berlin.',
  'Name the days of the week.',
  'Name the planets.',
  'Write a poem about apple.',
  'Write a poem about tiger.',
  'A poem about ocean, please.',
];
/** Stories that it tells a second time with other names and sayings. */
const RETOLD = [
  'Tell me a story about a fox.',
  'Tell me a story about an owl.',
  'Write a short story about a bear.',
  'A story about a mouse, please.',
];
/** These answers take milliseconds. */
const DEMO_REPEATS = 20;

/** The demo model answers `questions` a second time: whole requests, their prompts' new tokens included. */
async function answeredAgain(questions: readonly string[], isCopy: boolean): Promise<Pair> {
  await using on = await createEngine({ speculation: true });
  await using off = await createEngine({ speculation: false });
  const models = { on: await on.load('demo'), off: await off.load('demo') };
  const prompts: Uint32Array[] = [];
  for (const content of questions) {
    const question = { role: 'user' as const, content };
    const told = await models.off.chat({ messages: [question], temperature: 0 });
    const answer = { role: 'assistant' as const, content: told.choices[0]?.message.content ?? '' };
    const messages = [question, answer, question];
    const again = await models.off.chat({ messages, temperature: 0 });
    const isSame = again.choices[0]?.message.content === answer.content;
    if (isSame !== isCopy) throw new Error(`the second answer to "${content}" is ${isSame ? '' : 'not '}the first`);
    const text = await models.off.renderChat(messages, { addGenerationPrompt: true });
    prompts.push(Uint32Array.from(models.off.tokenizer.encode(text)));
  }
  const rates = noRates();
  await inTurn(rates, async (which) => {
    const ids: number[] = [];
    let decodeMs = 0;
    for (let repeat = 0; repeat < DEMO_REPEATS; repeat++) {
      for (const promptTokenIds of prompts) {
        let first: number | undefined;
        for await (const id of models[which].generate({
          promptTokenIds,
          maxTokens: 120,
          temperature: 0,
          caller: 'bench',
        })) {
          first ??= performance.now();
          ids.push(id);
        }
        decodeMs += performance.now() - present(first, 'an answer has a token');
      }
    }
    return { tokens: ids.length, text: ids.join(' '), requests: DEMO_REPEATS * prompts.length, decodeMs };
  });
  return pairOf(rates);
}

/** The 1.1B shape says a recorded text, one allowed token a step, after a prompt that it has seen before. */
async function recorded(promptTokenIds: readonly number[], text: readonly number[]): Promise<Pair> {
  const rates = noRates();
  rates.texts.add(text.join(' '));
  for (let pair = 0; pair < PAIRS; pair++) {
    const tellings = await tellInTurn(directory, threads, promptTokenIds, text);
    for (const which of ['on', 'off'] as const) {
      const { texts, tokens, ms, firstMs } = tellings[which];
      for (const told of texts) rates.texts.add(told);
      rates.whole[which].push((tokens * 1000) / ms);
      rates.decode[which].push(((tokens - texts.length) * 1000) / (ms - firstMs));
    }
  }
  return pairOf(rates);
}

/** Tokens a second of each run, and what the runs said. */
interface Rates {
  readonly whole: Record<'on' | 'off', number[]>;
  readonly decode: Record<'on' | 'off', number[]>;
  readonly texts: Set<string>;
}

function noRates(): Rates {
  return { whole: { on: [], off: [] }, decode: { on: [], off: [] }, texts: new Set() };
}

function pairOf({ whole, decode, texts }: Rates): Pair {
  return { whole: speedOf(whole), decode: speedOf(decode), equal: texts.size === 1 };
}

/** Adds the rates of the demo's alternating runs, after one of each that warms up (and fills the prefix cache). */
async function inTurn(rates: Rates, run: (which: 'on' | 'off') => Promise<Run>): Promise<void> {
  for (let round = 0; round <= DEMO_ROUNDS; round++) {
    for (const which of round % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
      const start = performance.now();
      const { tokens, text, requests, decodeMs } = await run(which);
      rates.texts.add(text);
      if (round === 0) continue;
      rates.whole[which].push((tokens * 1000) / (performance.now() - start));
      rates.decode[which].push(((tokens - requests) * 1000) / decodeMs);
    }
  }
}

function speedOf({ on, off }: Record<'on' | 'off', readonly number[]>): Speed {
  const ratios = on.map((rate, round) => rate / present(off[round], 'both ran in each round'));
  return { on: median(on), off: median(off), ratio: median(ratios) };
}

function print(bench: string, { whole, decode, equal }: Pair): void {
  const ratios = { ratio: significant(whole.ratio), decodeRatio: significant(decode.ratio) };
  const rates = { on: significant(whole.on), off: significant(whole.off) };
  console.log(JSON.stringify({ bench, ...rates, ...ratios, equal, threads, node: process.version }));
}

/** The first tokens of `text` as ids of the demo model's tokenizer, which the shape's vocabulary holds too. */
async function recordedIds(text: string): Promise<number[]> {
  await using engine = await createEngine({ threads: 1 });
  const model = await engine.load('demo');
  const ids = Array.from(model.tokenizer.encode(text));
  if (ids.length < RECORDED) throw new Error(`the text has ${ids.length} tokens, but ${RECORDED} are recorded`);
  return ids.slice(0, RECORDED);
}

print('demo copies its answer', await answeredAgain(COPIED, true));
print('demo tells its story with other names', await answeredAgain(RETOLD, false));
const source = await recordedIds(PROSE.first);
const edited = source.map((id, i) => (i % EDIT_EVERY === EDIT_EVERY - 1 ? (id * 7 + 11) % 1500 : id));
print('1.1b repeats its prompt with every 16th token changed', await recorded(source, edited));
print('1.1b goes on with prose', await recorded(source, await recordedIds(PROSE.second)));
