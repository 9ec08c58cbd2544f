import { findCacheDirectory } from '../base/index.js';
import { createModelHost, type ModelHost as PooledHost } from '../pool/index.js';
import { resolveOptions, type EngineOptions } from './engine-options.js';

/** The models of an engine, and where it finds them: what the embedding API and the server are built on. */
export interface ModelHost extends PooledHost {
  /** Where the user's models are; undefined where there is no home and nobody said. */
  readonly modelsDir: string | undefined;
  /** Where what can be made again is kept; undefined: where `findCacheDirectory` says. */
  readonly cacheDir: string | undefined;
}

/** Makes the kernels ready. Errors: `invalid_option`, `backend_unavailable`, `kernel_unavailable`. */
export async function openModelHost(options: EngineOptions = {}): Promise<ModelHost> {
  const { modelsDir, cacheDir, ...run } = resolveOptions(options);
  const host = await createModelHost({ ...run, cacheDirectory: async () => findCacheDirectory(cacheDir) });
  return Object.assign(host, { modelsDir, cacheDir });
}
