// Ours beside llama.cpp on the same files: three published ones, and the demo's checkpoint in each type that it can make.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeCheckpointFile } from '../../bench/gguf/checkpoint-file.js';
import { compareWithPeer } from '../../bench/peers/llama-cpp/compare.js';
import { findPeerPython } from '../../bench/peers/llama-cpp/python.js';
import { findRealModel, realModels } from '../../bench/peers/llama-cpp/real-models.js';

/** Types of files by llama.cpp's numbers for them (llama.h, `llama_ftype`). */
const FILE_TYPES = {
  F16: 1,
  Q4_0: 2,
  Q4_1: 3,
  Q8_0: 7,
  Q5_0: 8,
  Q5_1: 9,
  Q2_K: 10,
  Q3_K_S: 11,
  Q3_K_M: 12,
  Q4_K_S: 14,
  Q4_K_M: 15,
  Q5_K_S: 16,
  Q5_K_M: 17,
  Q6_K: 18,
  IQ4_NL: 25,
  IQ4_XS: 30,
  BF16: 32,
} as const;

const root = process.cwd();
const peer = await findPeerPython(root);
const python = 'python' in peer ? peer.python : '';
const scratch = mkdtempSync(join(tmpdir(), 'llama-cpp-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function expectAlike(path: string): Promise<void> {
  const cacheDir = join(scratch, 'cache');
  const found = await compareWithPeer(python, path, root, { threads: 2, cacheDir });
  expect(found.tokens).toBeGreaterThan(1_900);
  for (const nll of [found.nll, found.floatCacheNll]) {
    expect(Math.abs(nll / found.peerNll - 1), JSON.stringify(found)).toBeLessThan(0.005);
  }
  expect(found.clear).toBeGreaterThan(found.steps / 4);
  expect(found.same, JSON.stringify(found)).toBe(found.clear);
  expect(found.sameTexts, JSON.stringify(found)).toBe(found.texts);
}

describe.skipIf('reason' in peer)(`beside llama.cpp${'reason' in peer ? `: skipped, ${peer.reason}` : ''}`, () => {
  it.each(Object.keys(realModels) as (keyof typeof realModels)[])(
    '%s has the same likelihood, continuations and token ids',
    { timeout: 3_600_000 },
    async (name) => {
      const found = await findRealModel(name, root);
      if ('reason' in found) throw new Error(found.reason);
      await expectAlike(found.path);
    },
  );

  describe('the demo, made by llama.cpp in another type', () => {
    const floats = join(scratch, 'demo.gguf');
    beforeAll(() => writeCheckpointFile(join(root, 'assets/demo'), floats, 'qwen2'));

    it.each(Object.entries(FILE_TYPES))(
      '%s has the same likelihood, continuations and token ids',
      { timeout: 600_000 },
      async (type, number) => {
        const path = join(scratch, `demo-${type}.gguf`);
        const script = join(root, 'bench/peers/llama-cpp/quantize.py');
        await promisify(execFile)(python, [script, floats, path, String(number)]);
        await expectAlike(path);
      },
    );
  });
});
