// What a person sees who asks a small published model something, with nothing set.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countRight, ourAnswers, peerAnswers } from '../../bench/peers/llama-cpp/answers.js';
import { findPeerPython } from '../../bench/peers/llama-cpp/python.js';
import { findSmolLm2 } from '../../bench/peers/llama-cpp/smollm2.js';
import { createEngine, type Engine, type Model } from '../../src/index.js';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
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

    it('answers ten questions with eight seeds right as often as llama.cpp with its own defaults', async () => {
      const ours = countRight(await ourAnswers(model, SEEDS, MAX_TOKENS));
      const theirs = countRight(
        await peerAnswers(python, path, root, { seeds: SEEDS, maxTokens: MAX_TOKENS, threads: 2 }),
      );
      const told = `ours ${ours.join(' ')}, llama.cpp ${theirs.join(' ')}`;
      process.stderr.write(`${told}\n`);
      expect(sum(ours), told).toBeGreaterThanOrEqual(sum(theirs));
      expect(sum(theirs), told).toBeGreaterThan(40);
    });

    it('answers its first question right with most seeds, and ends by itself', async () => {
      const messages = [{ role: 'user' as const, content: 'What is the capital of France?' }];
      const answers = await Promise.all(SEEDS.map((seed) => model.chat({ messages, seed })));
      const right = answers.filter(({ choices }) => /\bParis\b/.test(choices[0]?.message.content ?? ''));
      expect(right.length).toBeGreaterThanOrEqual(6);
      for (const { usage } of answers) expect(usage?.completion_tokens).toBeLessThan(4096);
    });
  },
);

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
