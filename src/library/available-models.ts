import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openArtifact } from '../artifact/index.js';
import { AppError, codeOf, toErrorData, type ErrorData } from '../base/index.js';
import { modelNames } from '../store/index.js';
import { openGguf } from '../weights/index.js';

/** A model that `load` could be given by name. */
export interface AvailableModel {
  /** What to give to `load`. */
  readonly name: string;
  /** `demo` comes with the package; a GGUF file is converted when it is first loaded. */
  readonly kind: 'demo' | 'artifact' | 'gguf';
  /** The directory of the artifact, or the file. */
  readonly path: string;
  /** What its files take on the disk; 0 where that cannot be read. */
  readonly bytes: number;
  /** Why it cannot be loaded, as code and message. Absent: nothing speaks against it. */
  readonly problem?: ErrorData;
}

/**
 * `demo` and what lies in `modelsDir`, by name; a directory that is not there, or undefined, has nothing.
 * Errors: `invalid_option`, `too_many_open_files`.
 */
export async function listAvailable(modelsDir: string | undefined, demoDirectory: string): Promise<AvailableModel[]> {
  const models = [await describeModel('demo', 'demo', demoDirectory)];
  if (modelsDir === undefined) return models;
  // One after the other: a header is up to some megabytes, and a directory may hold a hundred files.
  for (const name of await readNames(modelsDir)) {
    const path = join(modelsDir, name);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) models.push(await describeModel(name, isGguf(name) ? 'gguf' : 'artifact', path));
    else if (found.isFile() && isGguf(name)) models.push(await describeModel(name, 'gguf', path));
    else if (found.isDirectory() && (await hasManifest(path))) models.push(await describeModel(name, 'artifact', path));
  }
  return models;
}

/** Names in the directory that may be models. `demo` means the one that comes with the package. */
async function readNames(modelsDir: string): Promise<string[]> {
  // Before the names: a directory that may not be read has none.
  await access(modelsDir, constants.R_OK | constants.X_OK).catch((error: unknown) => {
    const cause = codeOf(error);
    if (cause === undefined || ['ENOENT', 'ENOTDIR', 'EMFILE', 'ENFILE'].includes(cause)) return;
    const message = `the models directory ${modelsDir} cannot be read (${cause}); allow it, or give another as modelsDir`;
    throw new AppError('invalid_option', message, { param: 'modelsDir', cause });
  });
  return (await modelNames(modelsDir)).filter((name) => name !== 'demo');
}

function isGguf(name: string): boolean {
  return name.toLowerCase().endsWith('.gguf');
}

/** A directory without one is something else; one whose manifest may not be read is a model. */
async function hasManifest(path: string): Promise<boolean> {
  return stat(join(path, 'manifest.json')).then(
    () => true,
    (error: unknown) => codeOf(error) === 'EACCES',
  );
}

async function describeModel(name: string, kind: AvailableModel['kind'], path: string): Promise<AvailableModel> {
  try {
    return { name, kind, path, bytes: await (kind === 'gguf' ? readFileBytes(path) : readArtifactBytes(path)) };
  } catch (error) {
    const bytes = kind === 'gguf' ? ((await stat(path).catch(() => undefined))?.size ?? 0) : 0;
    return { name, kind, path, bytes, problem: toErrorData(error) };
  }
}

/** Errors: those of an artifact. */
async function readArtifactBytes(path: string): Promise<number> {
  await using artifact = await openArtifact(path);
  return artifact.manifest.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** Errors: those of a GGUF file's header. */
async function readFileBytes(path: string): Promise<number> {
  await using _ = await openGguf(path);
  return (await stat(path)).size;
}
