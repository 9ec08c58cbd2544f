import { stat } from 'node:fs/promises';
import { listParts, openGguf } from '../weights/index.js';

/** Bytes of a GGUF file whose header can be read, with all its parts. Errors: those of the header. */
export async function ggufBytes(file: string): Promise<number> {
  await using _ = await openGguf(file);
  const sizes = await Promise.all((await listParts(file)).map(async (part) => (await stat(part)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
