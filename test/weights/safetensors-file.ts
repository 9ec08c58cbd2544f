import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TensorBytes {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** The bytes of a safetensors file with `header` (any text) before `data`. */
export function withHeader(header: string | Uint8Array, data: Uint8Array = new Uint8Array(0)): Uint8Array {
  const text = typeof header === 'string' ? new TextEncoder().encode(header) : header;
  const file = new Uint8Array(8 + text.length + data.length);
  new DataView(file.buffer).setBigUint64(0, BigInt(text.length), true);
  file.set(text, 8);
  file.set(data, 8 + text.length);
  return file;
}

/** A well-formed safetensors file. */
export function safetensorsFile(tensors: Readonly<Record<string, TensorBytes>>): Uint8Array {
  let offset = 0;
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes.length] };
    offset += bytes.length;
  }
  const data = new Uint8Array(offset);
  offset = 0;
  for (const { bytes } of Object.values(tensors)) {
    data.set(bytes, offset);
    offset += bytes.length;
  }
  return withHeader(JSON.stringify(header), data);
}

export function floats(...values: number[]): TensorBytes {
  return { dtype: 'F32', shape: [values.length], bytes: new Uint8Array(Float32Array.from(values).buffer) };
}

/** Runs `use` on a fresh directory with these files, and removes it. */
export async function inDirectory<T>(
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'weights-'));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
