import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Model } from '../../../src/index.js';

/** A question, and by which an answer to it is known to be right. */
export interface Question {
  readonly text: string;
  readonly isRight: (answer: string) => boolean;
}

const ANIMALS =
  /\b(dog|cat|lion|tiger|elephant|bear|horse|cow|pig|wolf|wolve|fox|rabbit|deer|monkey|giraffe|zebra|panda|penguin|dolphin|whale|shark|eagle|owl|parrot|snake|crocodile|alligator|turtle|frog|kangaroo|koala|leopard|cheetah|sheep|goat|chicken|duck|mouse|bee|butterfl|squirrel|gorilla|hippo|rhino|seal|otter|fish|bird|camel|jaguar)/gi;

/** Ten questions that a model of 135M parameters can answer, with no other judge than an expression. */
export const questions: readonly Question[] = [
  { text: 'What is the capital of France?', isRight: says(/\bParis\b/) },
  { text: 'What color is the sky on a clear day?', isRight: says(/\bblue\b/i) },
  { text: 'Who wrote Romeo and Juliet?', isRight: says(/Shakespeare/i) },
  { text: 'What is 2 plus 2?', isRight: says(/\b(4|four)\b/i) },
  { text: 'Name three animals.', isRight: (answer) => new Set(answer.toLowerCase().match(ANIMALS)).size >= 3 },
  { text: 'What is the largest planet?', isRight: says(/\bJupiter\b/i) },
  { text: 'Translate "good morning" to Spanish.', isRight: says(/\bbuen[oa]s d[ií]as\b/i) },
  { text: 'How many days are in a week?', isRight: says(/\b(7|seven)\b/i) },
  { text: 'What do bees make?', isRight: says(/\bhoney\b/i) },
  { text: 'What is the opposite of hot?', isRight: says(/\b(cold|cool)\b/i) },
];

function says(words: RegExp): Question['isRight'] {
  return (answer) => words.test(answer);
}

/** Right answers of each question, in the order of `questions`. */
export function countRight(answers: readonly (readonly string[])[]): number[] {
  return questions.map(({ isRight }, index) => (answers[index] ?? []).filter(isRight).length);
}

/** Our answers with the library's defaults, `maxTokens` at most: for each question one a seed. */
export async function ourAnswers(model: Model, seeds: readonly number[], maxTokens: number): Promise<string[][]> {
  const all: string[][] = [];
  for (const { text } of questions) {
    const messages = [{ role: 'user' as const, content: text }];
    const answers = seeds.map((seed) => model.chat({ messages, seed, max_tokens: maxTokens }));
    all.push((await Promise.all(answers)).map(({ choices }) => choices[0]?.message.content ?? ''));
  }
  return all;
}

/** Those of llama.cpp with the defaults of its command line, through llama-cpp-python of the interpreter `python`. */
export async function peerAnswers(
  python: string,
  model: string,
  root: string,
  {
    seeds,
    maxTokens,
    threads,
  }: { readonly seeds: readonly number[]; readonly maxTokens: number; readonly threads: number },
): Promise<string[][]> {
  const script = join(root, 'bench/peers/llama-cpp/answers.py');
  const child = spawn(python, [script, model, String(threads), String(maxTokens)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ questions: questions.map(({ text }) => text), seeds }));
  const [answers] = await Promise.all([json(child.stdout), once(child, 'exit')]);
  return answers as string[][];
}
