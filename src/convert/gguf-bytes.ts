import { stat } from 'node:fs/promises';
import { listParts, openGguf } from '../weights/index.js';

/** Total bytes of a GGUF file with all its parts, from its header. Errors: those of the header. */
export async function ggufBytes(file: string): Promise<number> {
  await using _ = await openGguf(file);
  const sizes = await Promise.all((await listParts(file)).map(async (part) => (await stat(part)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
