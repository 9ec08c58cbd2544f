import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { shapes } from '../../src/convert/index.js';
import { openGguf } from '../../src/weights/index.js';
import { tensorBytes } from '../gguf/gguf-writer.js';
import { writeShapeFile } from '../gguf/shape-file.js';
import { findRealModel } from '../peers/llama-cpp/real-models.js';
import { findSmolLm2 } from '../peers/llama-cpp/smollm2.js';
import { files, type FileName } from './goals.js';
import { benchFolder, type Found } from './peers.js';

/** The GGUF file that all contestants load: written into the bench folder when it is a shape, fetched when it is real. */
export async function findModelFile(name: FileName): Promise<Found> {
  const file = files[name];
  if (file === 'smollm2') return findSmolLm2(process.cwd());
  if (typeof file === 'string') return findRealModel(file, process.cwd());
  const { shape, type } = file;
  const path = join(benchFolder(), `${shape}-${type.toLowerCase()}.gguf`);
  if (!existsSync(path)) {
    await mkdir(benchFolder(), { recursive: true });
    await writeShapeFile(path, shapes[shape], type);
  }
  return { path };
}

/** What one token of decode takes of the weights. */
export interface TokenCost {
  readonly weightBytes: number;
  readonly multiplyAdds: number;
}

/** Of all tensors but an embedding that is not the output matrix too: of that a token reads one row. */
export async function costOfToken(path: string): Promise<TokenCost> {
  await using file = await openGguf(path);
  const isTied = !file.tensors.has('output.weight');
  let [weightBytes, multiplyAdds] = [0, 0];
  for (const [name, { dtype, shape }] of file.tensors) {
    if (name === 'token_embd.weight' && !isTied) continue;
    weightBytes += tensorBytes({ name, type: dtype, shape });
    if (shape.length > 1) multiplyAdds += shape.reduce((product, dimension) => product * dimension, 1);
  }
  return { weightBytes, multiplyAdds };
}
