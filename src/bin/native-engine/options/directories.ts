import { isAbsolute, join } from 'node:path';
import { AppError, findCacheDirectory } from '../../../base/index.js';

/** The options of a command that say where models and caches are. */
export interface DirectoryFlags {
  readonly modelsDir?: string | undefined;
  readonly cacheDir?: string | undefined;
  readonly noCache?: boolean | undefined;
}

/** Directories and the handling of GGUF files, as options of createEngine; options that were not set are left to the library. */
export interface Directories {
  readonly modelsDir?: string;
  readonly cacheDir?: string;
  readonly importGguf?: 'memory';
}

/**
 * What the options say, else the environment: TROUPE_MODELS, and for the cache directory TROUPE_CACHE, then XDG_CACHE_HOME
 * if something can be written there. Errors: `invalid_option`.
 */
export async function toDirectories(
  flags: DirectoryFlags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Directories> {
  const modelsDir = parsePath('--models-dir', flags.modelsDir) ?? (env['TROUPE_MODELS'] || undefined);
  const cacheDir = parsePath('--cache-dir', flags.cacheDir) ?? (env['TROUPE_CACHE'] || (await xdgCache(env)));
  return {
    ...(modelsDir !== undefined && { modelsDir }),
    ...(cacheDir !== undefined && { cacheDir }),
    ...(flags.noCache === true && { importGguf: 'memory' }),
  };
}

/** An option's text as a path. Errors: `invalid_option`. */
function parsePath(option: string, text: string | undefined): string | undefined {
  if (text !== '') return text;
  throw new AppError('invalid_option', `${option} is empty, but must be a path.`, { option, value: text });
}

/** XDG base directory specification: a relative path is ignored. */
async function xdgCache(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const base = env['XDG_CACHE_HOME'] ?? '';
  if (!isAbsolute(base)) return undefined;
  return findCacheDirectory(join(base, 'troupe')).catch(() => undefined);
}
