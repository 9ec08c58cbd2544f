import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const models = join(process.cwd(), 'test/vectors/models');
export const modelNames = ['llama2', 'llama3', 'llama-linear', 'llama-bias', 'qwen3', 'qwen3-untied'] as const;

/** Runs `use` on a copy of a model's directory and on a path beside it that is free, and removes both. */
export async function onCopy<T>(name: string, use: (source: string, out: string) => Promise<T>): Promise<T> {
  const parent = mkdtempSync(join(tmpdir(), 'convert-'));
  try {
    const source = join(parent, name);
    cpSync(join(models, name), source, { recursive: true });
    return await use(source, join(parent, 'artifact'));
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Changes a JSON file of a checkpoint. */
export function editJson(directory: string, name: string, change: (json: Record<string, unknown>) => void): void {
  const path = join(directory, name);
  const json = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  change(json);
  writeFileSync(path, JSON.stringify(json));
}

/** Rewrites a safetensors file with a changed header; `change` gets its entries and may reorder nothing. */
export function editHeader(path: string, change: (entries: Record<string, { shape: number[] }>) => void): void {
  const file = readFileSync(path);
  const length = Number(file.readBigUInt64LE(0));
  const entries = JSON.parse(file.subarray(8, 8 + length).toString()) as Record<string, { shape: number[] }>;
  change(entries);
  const header = Buffer.from(JSON.stringify(entries));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  writeFileSync(path, Buffer.concat([size, header, file.subarray(8 + length)]));
}
