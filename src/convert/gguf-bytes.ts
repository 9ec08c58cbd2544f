import { stat } from 'node:fs/promises';
import { openGguf } from '../weights/index.js';

/** Bytes of a GGUF file whose header can be read. Errors: those of the header. */
export async function ggufBytes(file: string): Promise<number> {
  await using _ = await openGguf(file);
  return (await stat(file)).size;
}
