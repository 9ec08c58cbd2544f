// LiteLLM's proxy as a peer: pip install 'litellm[proxy]' in a virtual environment.

import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** A peer at work. */
export interface Litellm {
  readonly child: ChildProcess;
  readonly port: number;
  readonly key: string;
}

const PORT = 18_400;
const KEY = 'sk-bench';
const MAX_TRIES = 300;

/** Starts it from a virtual environment, with its file in `scratch`. */
export async function startLitellm(environment: string, scratch: string, upstream: number): Promise<Litellm> {
  const file = join(scratch, 'litellm.yaml');
  const target = { model: 'openai/bench', api_base: `http://127.0.0.1:${upstream}/v1`, api_key: 'none' };
  writeFileSync(
    file,
    JSON.stringify({
      model_list: [{ model_name: 'bench', litellm_params: target }],
      general_settings: { master_key: KEY },
    }),
  );
  const bin = join(environment, 'bin');
  const child = spawn(join(bin, 'litellm'), ['--config', file, '--port', String(PORT)], {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  });
  for (let tries = 0; tries < MAX_TRIES && child.exitCode === null; tries++) {
    const isThere = await fetch(`http://127.0.0.1:${PORT}/`).then(
      () => true,
      () => false,
    );
    if (isThere) return { child, port: PORT, key: KEY };
    await setTimeout(200);
  }
  child.kill('SIGKILL');
  throw new Error(`litellm does not answer on port ${PORT}`);
}
