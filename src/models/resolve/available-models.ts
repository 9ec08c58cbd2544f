import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { AppError, codeOf, toErrorData, type ErrorData } from '../../base/index.js';
import { ggufBytes } from '../../convert/index.js';
import { artifactBytes, DEMO, type StoredEntry } from '../../store/index.js';
import { listNamed } from './find-model.js';

/** A model that `load` accepts by name. */
export interface AvailableModel {
  /** The argument of `load`. */
  readonly name: string;
  /** `demo` comes with the package; a GGUF file is converted at its first load. */
  readonly kind: 'demo' | 'artifact' | 'gguf';
  /** The directory of the artifact, or the file. */
  readonly path: string;
  /** Bytes of its files on the disk; 0 where they cannot be read. */
  readonly bytes: number;
  /** Why it cannot be loaded, as code and message. Absent: nothing speaks against it. */
  readonly problem?: ErrorData;
}

/**
 * `demo` and the models of `modelsDir`, by name; a missing directory, or undefined, has none. Errors: `invalid_option`,
 * `too_many_open_files`.
 */
export async function listAvailable(modelsDir: string | undefined): Promise<AvailableModel[]> {
  if (modelsDir !== undefined) await checkReadable(modelsDir);
  const models: AvailableModel[] = [];
  // One after the other: a header is up to some megabytes, and a directory may hold a hundred files.
  for (const entry of await listNamed(modelsDir)) models.push(await describeModel(entry));
  return models;
}

/** Errors: `invalid_option` for an unreadable directory, which would otherwise look like a directory without models. */
async function checkReadable(modelsDir: string): Promise<void> {
  await access(modelsDir, constants.R_OK | constants.X_OK).catch((error: unknown) => {
    const cause = codeOf(error);
    if (cause === undefined || ['ENOENT', 'ENOTDIR', 'EMFILE', 'ENFILE'].includes(cause)) return;
    const message = `the models directory ${modelsDir} cannot be read (${cause}); allow it, or give another as modelsDir`;
    throw new AppError('invalid_option', message, { param: 'modelsDir', cause });
  });
}

async function describeModel({ name, path, isFile }: StoredEntry): Promise<AvailableModel> {
  const kind = name === DEMO ? 'demo' : isFile ? 'gguf' : 'artifact';
  try {
    return { name, kind, path, bytes: await (isFile ? ggufBytes(path) : artifactBytes(path)) };
  } catch (error) {
    const bytes = isFile ? ((await stat(path).catch(() => undefined))?.size ?? 0) : 0;
    return { name, kind, path, bytes, problem: toErrorData(error) };
  }
}
