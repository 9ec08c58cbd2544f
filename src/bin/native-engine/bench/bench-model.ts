import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OnProgress } from '../../../artifact/index.js';
import { findCacheDirectory, hasErrorCode, isAppError, throwFileError } from '../../../base/index.js';
import { parseChoice } from '../../../cli/index.js';

/** What a model's name begins with when it is a shape and not a path. */
export const shapePrefix = 'shape:';

/**
 * Path of the artifact of a shape with random weights. It is made in the cache directory if it is missing or of another
 * version. Errors: `invalid_option`, `cache_unwritable`, those of opening and writing an artifact.
 */
export async function openBenchModel(
  name: string,
  quant: 'q4' | 'q8',
  cacheDir: string | undefined,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<string> {
  const shape = parseChoice('shape', name.slice(shapePrefix.length), ['1.1b', '0.5b', '8b'] as const);
  const directory = join(await findCacheDirectory(cacheDir), 'bench', `${shape}-${quant}`);
  if (await isCurrent(directory)) return directory;
  const { createRandomArtifact, shapes } = await import('../../../convert/index.js');
  const made = createRandomArtifact({ config: shapes[shape], quant, out: directory, id: name, signal, onProgress });
  // Another process may have been about it.
  await made.catch((error: unknown) => {
    if (!hasErrorCode(error, 'output_exists')) throw error;
  });
  return directory;
}

/** Whether a shape is there and can be read. The writer makes a directory whole or not at all; one of another version goes. */
async function isCurrent(directory: string): Promise<boolean> {
  const isThere = await stat(directory).then(
    () => true,
    () => false,
  );
  if (!isThere) return false;
  try {
    await readQuant(directory);
    return true;
  } catch (error) {
    // Without its manifest it is what a removal left that was interrupted.
    const isStale = isAppError(error) && ['artifact_version', 'artifact_not_found'].includes(error.code);
    if (!isStale) throw error;
    await rm(directory, { recursive: true }).catch(throwFileError('write', directory));
    return false;
  }
}

/** The quant that an artifact's manifest names. Errors: those of the artifact. */
export async function readQuant(directory: string): Promise<string> {
  const { openArtifact } = await import('../../../artifact/index.js');
  await using artifact = await openArtifact(directory);
  return artifact.manifest.quant;
}
