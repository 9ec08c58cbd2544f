import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PACKAGES = ['llama-cpp-python==0.3.36', 'numpy'];

/**
 * An interpreter with llama-cpp-python: that of TROUPE_BENCH_PYTHON, else one under node_modules/.cache, into which it is built
 * from source where it is not there; that takes some ten minutes of two cores, and is said on standard error. Gives its path,
 * or why there is none.
 */
export async function findPeerPython(root: string): Promise<{ python: string } | { reason: string }> {
  const given = process.env['TROUPE_BENCH_PYTHON'];
  if (given !== undefined && given !== '') return { python: given };
  const folder = join(root, 'node_modules', '.cache', 'llama-cpp');
  const python = join(folder, 'bin', 'python');
  const run = promisify(execFile);
  try {
    if (!existsSync(python)) await run('python3', ['-m', 'venv', folder], { timeout: 120_000 });
    await run(python, ['-c', 'import llama_cpp, numpy'], { timeout: 60_000 }).catch(async () => {
      process.stderr.write(`building ${PACKAGES.join(' and ')} from source\n`);
      await run(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES], { timeout: 3_600_000 });
    });
    return { python };
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 300) : 'pip failed';
    return { reason: `llama-cpp-python cannot be installed: ${why}` };
  }
}
