import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startServing } from '../../server/serving.js';

const run = promisify(execFile);
/** A virtual environment has its own: `PYTHON=venv/bin/python3`. */
const python = process.env['PYTHON'] ?? 'python3';
const whyNot = await run(python, ['-c', 'import ollama']).then(
  () => '',
  () => ` (skipped: ${python} has no package ollama)`,
);

it.skipIf(whyNot !== '')(`Ollama's Python package chats, streams, calls tools, embeds and fails${whyNot}`, async () => {
  await using serving = await startServing();
  const { stdout } = await run(python, ['test/newest/ollama_client.py', serving.url]);
  expect(stdout).toMatch(/^ollama \d/);
});
