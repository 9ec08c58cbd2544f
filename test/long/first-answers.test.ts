// What a person sees who asks a small published model something, with nothing set.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countRight, ourAnswers, peerAnswers, questions } from '../../bench/peers/llama-cpp/answers.js';
import { findPeerPython } from '../../bench/peers/llama-cpp/python.js';
import { findSmolLm2 } from '../../bench/peers/llama-cpp/smollm2.js';
import { createEngine, type Engine, type Model } from '../../src/index.js';

const SEEDS = Array.from({ length: 32 }, (_, index) => index + 1);
/** An answer that is right says so in fewer. */
const MAX_TOKENS = 160;

const root = process.cwd();
const [file, peer] = [await findSmolLm2(root), await findPeerPython(root)];
const path = 'path' in file ? file.path : '';
const python = 'python' in peer ? peer.python : '';
const reason = 'reason' in file ? file.reason : 'reason' in peer ? peer.reason : undefined;

describe.skipIf(reason !== undefined)(
  `SmolLM2 with the defaults${reason === undefined ? '' : `: skipped, ${reason}`}`,
  () => {
    const scratch = mkdtempSync(join(tmpdir(), 'first-answers-'));
    let engine: Engine;
    let model: Model;

    beforeAll(async () => {
      engine = await createEngine({ threads: 2, cacheDir: join(scratch, 'cache') });
      model = await engine.load(path);
    });

    afterAll(async () => {
      await engine[Symbol.asyncDispose]();
      rmSync(scratch, { recursive: true, force: true });
    });

    it('answers ten questions with 32 seeds right as often as llama.cpp with its own defaults, but for chance', async () => {
      const ours = await ourAnswers(model, SEEDS, MAX_TOKENS);
      const theirs = await peerAnswers(python, path, root, { seeds: SEEDS, maxTokens: MAX_TOKENS, threads: 2 });
      const told = [
        `ours ${countRight(ours).join(' ')}, llama.cpp ${countRight(theirs).join(' ')} of ${SEEDS.length} each`,
        `with the first eight seeds ${sum(countRight(firstEight(ours)))} and ${sum(countRight(firstEight(theirs)))} of 80`,
      ].join('; ');
      process.stderr.write(`${told}\n`);
      // Twice the standard deviation of a difference of two counts: both draw by chance, with streams of their own.
      const chance = 2 * Math.sqrt(2 * 0.25 * SEEDS.length * questions.length);
      expect(sum(countRight(ours)), told).toBeGreaterThanOrEqual(sum(countRight(theirs)) - chance);
      expect(sum(countRight(theirs)), told).toBeGreaterThan(SEEDS.length * 4);
    });

    it('answers its first question right with most seeds, and ends by itself', async () => {
      const messages = [{ role: 'user' as const, content: 'What is the capital of France?' }];
      const answers = await Promise.all(SEEDS.slice(0, 8).map((seed) => model.chat({ messages, seed })));
      const right = answers.filter(({ choices }) => /\bParis\b/.test(choices[0]?.message.content ?? ''));
      expect(right.length).toBeGreaterThanOrEqual(5);
      for (const { usage } of answers) expect(usage?.completion_tokens).toBeLessThan(4096);
    });
  },
);

function firstEight(answers: readonly (readonly string[])[]): string[][] {
  return answers.map((each) => each.slice(0, 8));
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
