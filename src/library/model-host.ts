import { openSource } from '../convert/index.js';
import { findCacheDirectory } from '../base/index.js';
import { createPuller, type Puller } from '../pull/index.js';
import { createModelHost, type PoolHost as PooledHost } from '../pool/index.js';
import { resolveOptions, toTrustPolicy, type EngineOptions, type ImportMode } from './engine-options.js';
import { readTemplate } from './read-template.js';

/** The models of an engine, and their sources: the base of the embedding API and the server. */
export interface ModelHost extends PooledHost {
  /** The directory of the user's models; undefined if it is not set and there is no home. */
  readonly modelsDir: string | undefined;
  /** The cache directory; undefined: the result of `findCacheDirectory`. */
  readonly cacheDir: string | undefined;
  /** How GGUF files are loaded. */
  readonly importGguf: ImportMode;
  /** Whether only models that a trusted key signed are loaded. */
  readonly requireSigned: boolean;
  /** Pulls models into the models directory; undefined if that is turned off, or there is none. */
  readonly puller: Puller | undefined;
}

/**
 * Prepares the kernels. Errors: `invalid_option`, `backend_unavailable`, `kernel_unavailable`, those of `readTemplate`.
 */
export async function openModelHost(options: EngineOptions = {}): Promise<ModelHost> {
  const { modelsDir, cacheDir, importGguf, pull, template: asked, trust: given, ...run } = resolveOptions(options);
  const trust = await toTrustPolicy(given);
  const template = asked === undefined ? undefined : await readTemplate(asked);
  const host = await createModelHost({
    ...run,
    template,
    openSource,
    trust,
    cacheDirectory: async () => findCacheDirectory(cacheDir),
  });
  const { requireSigned } = trust;
  const { memoryBudgetBytes: budgetBytes } = run;
  // Pulled models are not signed, and would be refused.
  const puller =
    pull && !requireSigned && modelsDir !== undefined ? createPuller({ modelsDir, budgetBytes }) : undefined;
  const dispose = host[Symbol.asyncDispose].bind(host);
  return Object.assign(host, {
    modelsDir,
    cacheDir,
    importGguf,
    requireSigned,
    puller,
    async [Symbol.asyncDispose]() {
      await puller?.[Symbol.asyncDispose]();
      await dispose();
    },
  });
}
