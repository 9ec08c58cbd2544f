// A file of a gigabyte from a hub on this machine: `index.js [python]` measures our download and pull, `@huggingface/hub`, and
// with the path of a Python that has it `huggingface_hub`. Each is a process of its own, in turns; the hub is another.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { shapes } from '../../src/convert/index.js';
import { writeShapeFile } from '../gguf/shape-file.js';

const ROUNDS = 3;
const here = fileURLToPath(new URL('.', import.meta.url));
const PYTHON = `
import os, sys, time, resource, json
start = time.time()
from huggingface_hub import hf_hub_download
hf_hub_download('org/large', 'large.Q8_0.gguf', local_dir=sys.argv[1])
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({'client': 'huggingface_hub', 'seconds': time.time() - start, 'cpuSeconds': used.ru_utime + used.ru_stime, 'maxRssMb': used.ru_maxrss / 1024}))
`;

const [, , python] = process.argv;
const root = mkdtempSync(join(tmpdir(), 'bench-hub-'));
const path = join(root, 'large.gguf');
await writeShapeFile(path, shapes['1.1b'], 'Q8_0');
const { size } = statSync(path);
const server = spawn(process.execPath, [join(here, 'serve-file.js'), path, await sha256Of(path)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const env = {
    ...process.env,
    HF_ENDPOINT: await firstLine(server),
    HF_HUB_DISABLE_XET: '1',
    HF_HUB_DISABLE_IMPLICIT_TOKEN: '1',
    HF_HOME: root,
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const client of ['download', 'pull', '@huggingface/hub'])
      measure(process.execPath, [join(here, 'fetch-once.js'), client], env);
    if (python !== undefined && existsSync(python)) measure(python, ['-c', PYTHON], env);
  }
} finally {
  server.kill();
  rmSync(root, { recursive: true });
}

function measure(command: string, args: readonly string[], env: NodeJS.ProcessEnv): void {
  const directory = mkdtempSync(join(root, 'run-'));
  const { stdout, status, stderr } = spawnSync(command, [...args, directory], { env, encoding: 'utf8' });
  rmSync(directory, { recursive: true });
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status}: ${stderr}`);
  const measured = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { seconds: number; cpuSeconds: number };
  const mb = size / 1e6;
  const rates = {
    mbPerSecond: Math.round(mb / measured.seconds),
    mbPerCpuSecond: Math.round(mb / measured.cpuSeconds),
  };
  process.stdout.write(`${JSON.stringify({ ...measured, ...rates })}\n`);
}

async function sha256Of(file: string): Promise<string> {
  const sum = createHash('sha256');
  for await (const piece of createReadStream(file, { highWaterMark: 1 << 22 })) sum.update(piece as Buffer);
  return sum.digest('hex');
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('a child with a pipe');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return line;
}
