// Where the peers are. They are no part of the repository and nothing installs them unasked.

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Files with random weights, peers and converted models: $TROUPE_BENCH, or ~/.troupe/bench. */
export function benchFolder(): string {
  return process.env['TROUPE_BENCH'] ?? join(homedir(), '.troupe', 'bench');
}

/** A peer's place, or why it is not there and how to get it. */
export type Found = { readonly path: string } | { readonly reason: string };

/** An interpreter with llama-cpp-python: $TROUPE_BENCH_PYTHON, or the one in the bench folder. */
export function findPython(): Found {
  const venv = join(benchFolder(), 'peers', 'llama-cpp');
  const path = process.env['TROUPE_BENCH_PYTHON'] ?? join(venv, 'bin', 'python');
  if (existsSync(path)) return { path };
  const reason =
    `no llama.cpp: ${path} is not there. Compile it for this machine (some ten minutes, needs a C++ compiler): ` +
    `python3 -m venv ${venv} && ${venv}/bin/pip install --no-binary llama-cpp-python llama-cpp-python==0.3.36 numpy`;
  return { reason };
}

/** The folder whose node_modules holds node-llama-cpp. */
export function findNodeBinding(): Found {
  const path = join(benchFolder(), 'peers', 'node-llama-cpp');
  if (existsSync(join(path, 'node_modules', 'node-llama-cpp'))) return { path };
  const reason =
    `no node-llama-cpp: it is not in ${path}. Install it (700 MB): mkdir -p ${path} && ` +
    `cp bench/peers/node-llama-cpp/package.json ${path}/ && npm install --ignore-scripts --prefix ${path}`;
  return { reason };
}
