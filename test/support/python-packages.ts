import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isError } from '../../src/base/index.js';

/**
 * Installs packages of PyPI, each with its version, into a virtual environment under node_modules/.cache, named by the
 * first of them; gives its Python, or the reason why not.
 */
export async function installPython(packages: readonly string[]): Promise<{ python: string } | { reason: string }> {
  const [first = ''] = packages;
  const home = join(process.cwd(), 'node_modules', '.cache', first.replace(/\[.*\]/, '').replace('==', '-'));
  const python = join(home, 'bin', 'python');
  const done = join(home, 'lib', 'installed');
  if (existsSync(done)) return { python };
  const run = promisify(execFile);
  try {
    await rm(home, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', home]);
    await run(python, ['-m', 'pip', 'install', '--quiet', ...packages], { timeout: 300_000 });
    await mkdir(done, { recursive: true });
    return { python };
  } catch (error) {
    return { reason: `${first} cannot be installed: ${isError(error) ? error.message.slice(0, 300) : 'pip failed'}` };
  }
}
