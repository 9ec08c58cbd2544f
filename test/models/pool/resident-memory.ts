import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRandomArtifact, shapes } from '../../../src/convert/index.js';

/** Resident megabytes of a process: before the first load, and with and without the model in each round. */
export interface Residence {
  readonly before: number;
  readonly loaded: readonly number[];
  readonly after: readonly number[];
}

const script = fileURLToPath(new URL('./fixtures/load-and-unload.js', import.meta.url));

/** Loads and unloads a model of some 12.4 MB of weights a layer, in a process of its own. */
export async function loadAndUnload(numLayers: number, placement: string, rounds: number): Promise<Residence> {
  const parent = mkdtempSync(join(tmpdir(), 'residence-'));
  try {
    const config = {
      ...shapes['1.1b'],
      vocab_size: 1_024,
      hidden_size: 1_024,
      intermediate_size: 2_816,
      num_hidden_layers: numLayers,
      num_attention_heads: 16,
      num_key_value_heads: 4,
      max_position_embeddings: 512,
    };
    const out = join(parent, 'model');
    await createRandomArtifact({ config, out, quant: 'q8' });
    const { stdout } = await promisify(execFile)(process.execPath, [script, out, placement, String(rounds)]);
    return JSON.parse(stdout) as Residence;
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}
