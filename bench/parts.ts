// The parts of the bench that are scripts: each prints JSON lines, under every Node that is measured.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Measured } from './record/results.js';
import { markdownTable, type Cell } from './record/table.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const cli = join(here, '../src/bin/native-engine.js');

/** Command lines of each part, from the number of threads. */
export const scripts = {
  machine: (threads: number) => [[join(here, 'machine/index.js'), String(threads)]],
  kernels: () => [[join(here, 'kernels/index.js')]],
  engine: (threads: number) => [
    [cli, 'bench', 'demo', '--json', '--threads', '1'],
    [cli, 'bench', 'demo', '--json', '--threads', String(threads)],
    [cli, 'bench', 'shape:0.5b', '--json', '--threads', String(threads)],
  ],
} as const satisfies Record<string, (threads: number) => string[][]>;

export type ScriptName = keyof typeof scripts;

/** Runs a part under `node`, hands each line on, and prints them all as a table at the end. */
export async function runScript(
  name: ScriptName,
  node: string,
  threads: number,
  record: (line: Measured) => Promise<void>,
  note: (text: string) => void,
): Promise<void> {
  for (const args of scripts[name](threads)) {
    note(`${name}: ${node} ${args.map((arg) => arg.replace(here, '')).join(' ')}`);
    const lines: Measured[] = [];
    const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = once(child, 'close');
    for await (const text of createInterface({ input: child.stdout })) {
      if (!text.startsWith('{')) continue;
      const line = JSON.parse(text) as Measured;
      lines.push(line);
      await record(line);
    }
    const [status] = await closed;
    if (status !== 0) throw new Error(`${name} ended with exit status ${String(status)} under ${node}`);
    process.stdout.write(`${toTable(lines)}\n\n`);
  }
}

/** Lines with the columns that any of them has; lists are left to the record. */
export function toTable(lines: readonly Measured[]): string {
  const columns = [...new Set(lines.flatMap((line) => Object.keys(line)))].filter((column) =>
    lines.every((line) => !Array.isArray(line[column])),
  );
  const cell = (value: unknown): Cell =>
    typeof value === 'number' || value === undefined
      ? value
      : value === null
        ? undefined
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);
  const rows = lines.map((line) => columns.map((column) => cell(line[column])));
  return markdownTable(columns, rows);
}
