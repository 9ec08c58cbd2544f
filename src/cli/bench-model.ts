import { mkdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isAppError } from '../base/index.js';
import { parseChoice } from './option-values.js';

/** What a model's name begins with when it is a shape and not a path. */
export const shapePrefix = 'shape:';

/**
 * Path of the artifact of a shape with random weights, made when it is not there yet, and again when it is of another
 * version. Errors: `invalid_option`, those of opening an artifact.
 */
export async function openBenchModel(
  name: string,
  quant: 'q4' | 'q8',
  cache: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const shape = parseChoice('shape', name.slice(shapePrefix.length), ['1.1b', '0.5b', '8b'] as const);
  const directory = join(cache ?? join(homedir(), '.troupe', 'bench'), `${shape}-${quant}`);
  if (await isCurrent(directory)) return directory;
  const { createRandomArtifact, shapes } = await import('../convert/index.js');
  await mkdir(dirname(directory), { recursive: true });
  await createRandomArtifact({ config: shapes[shape], quant, out: directory, id: name, signal });
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
    await rm(directory, { recursive: true });
    return false;
  }
}

/** Path of the artifact that `name` names; a GGUF file is converted first. Errors: those of conversion. */
export async function locateArtifact(name: string, signal: AbortSignal): Promise<string> {
  const { defaultModelsDir, locateModel } = await import('../embedding/index.js');
  return locateModel(name, defaultModelsDir(), signal);
}

/** The quant that an artifact's manifest names. Errors: those of the artifact. */
export async function readQuant(directory: string): Promise<string> {
  const { openArtifact } = await import('../artifact/index.js');
  await using artifact = await openArtifact(directory);
  return artifact.manifest.quant;
}
