import { AppError } from '../../../base/index.js';
import type { Terminal } from '../../../cli/index.js';
import { defaultModelsDir, openStore, type Store, type Swept } from '../../../store/index.js';
import type { Directories } from '../options/directories.js';
import { sizeText } from '../../../cli/index.js';

/** The store of the models directory that was chosen. Errors: `invalid_option` where there is no home. */
export function openUserStore({ modelsDir = defaultModelsDir() }: Directories): Store {
  if (modelsDir !== undefined) return openStore(modelsDir);
  const message = 'there is no home directory, so no models directory; pass --models-dir, or set TROUPE_MODELS';
  throw new AppError('invalid_option', message, { option: '--models-dir' });
}

/** Sweeps what dead processes left, and says it on standard error. */
export async function sweepAndSay(store: Store, { stderr }: Pick<Terminal, 'stderr'>): Promise<void> {
  for (const swept of await store.sweep()) stderr.write(`${sayOfSwept(swept)}\n`);
}

/** What became of something that a dead process left, in a line. */
export function sayOfSwept({ kind, name, path, bytes }: Swept): string {
  if (kind === 'removed') return `removed ${path}, which a process left half-made (${sizeText(bytes)})`;
  const how = kind === 'finished' ? 'is the new one now' : 'is the old one again';
  return `${name} ${how}: a process ended while it was replacing it`;
}
