import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createArtifactWriter, type ManifestHead, type NewTensor } from '../../src/artifact/index.js';
import { packedMatrixBytes, packedVectorBytes } from '../../src/weights/index.js';

export const head: ManifestHead = {
  id: 'small',
  createdBy: 'test',
  source: { format: 'test' },
  modelType: 'llama',
  quant: 'q8',
  config: { model_type: 'llama' },
  generation: { stopTokenIds: [1] },
  chat: { template: null, bosToken: null, eosToken: null },
};

/** Bytes that differ everywhere. */
export function pattern(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed * 2654435761 + 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

export interface SmallTensor extends NewTensor {
  readonly bytes: Uint8Array;
}

/** A matrix of random bytes. */
export function matrix(name: string, rows: number, columns: number, quant: 'q8' | 'q4' = 'q8'): SmallTensor {
  const bytes = pattern(packedMatrixBytes(quant, rows, columns), rows + columns);
  return { name, kind: 'matrix', quant, rows, columns, bytes };
}

/** A vector of random bytes. */
export function vector(name: string, rows: number): SmallTensor {
  return { name, kind: 'vector', quant: 'f32', rows, columns: 1, bytes: pattern(packedVectorBytes(rows), rows) };
}

export const smallTensors = [matrix('embedding', 40, 70), vector('norm', 13), matrix('output', 8, 32, 'q4')];

/** Writes an artifact of these tensors to `out`, each in two pieces. */
export async function writeSmall(out: string, tensors: readonly SmallTensor[] = smallTensors): Promise<void> {
  await using writer = await createArtifactWriter(out);
  for (const tensor of tensors) {
    const half = tensor.bytes.length >> 1;
    await writer.addTensor(tensor, [tensor.bytes.subarray(0, half), tensor.bytes.subarray(half)]);
  }
  await writer.addFile('config.json', Buffer.from('{"model_type":"llama"}'));
  await writer.finish(head);
}

/** Runs `use` with a path in a fresh directory, and removes the directory. */
export async function inFreshDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'artifact-'));
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
