import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseChoice } from './option-values.js';

/** What a model's name begins with when it is a shape and not a path. */
export const shapePrefix = 'shape:';

/** Path of the artifact of a shape with random weights, made when it is not there yet. Throws `invalid_option`. */
export async function openBenchModel(
  name: string,
  quant: 'q4' | 'q8',
  cache: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const shape = parseChoice('shape', name.slice(shapePrefix.length), ['1.1b', '0.5b', '8b'] as const);
  const directory = join(cache ?? join(homedir(), '.troupe', 'bench'), `${shape}-${quant}`);
  const made = await stat(directory).then(
    () => true,
    () => false,
  );
  // The writer makes a directory whole or not at all, so one that is there can be used.
  if (made) return directory;
  const { createRandomArtifact } = await import('../convert/index.js');
  await createRandomArtifact({ shape, quant, out: directory, signal });
  return directory;
}
