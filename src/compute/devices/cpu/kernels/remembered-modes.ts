import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory, replaceFile } from '../../../../base/index.js';
import { compileModes, type CompileMode } from './compile-mode.js';
import type { KernelModule } from './modules.js';

/** How each module is compiled. */
export interface FoundModes {
  readonly modes: Readonly<Partial<Record<KernelModule, CompileMode>>>;
  /** Why the modules without a mode are not used. */
  readonly unusable: Readonly<Partial<Record<KernelModule, string>>>;
  /** A sentence for a person about each fall back; empty when everything is as fast as it can be. */
  readonly notes: readonly string[];
}

/** The stored result for `key`; undefined when none is stored, or it cannot be parsed. */
export async function recall(
  directory: string,
  key: string,
  names: readonly KernelModule[],
): Promise<FoundModes | undefined> {
  try {
    const kept = JSON.parse(await readFile(fileOf(directory, key), 'utf8')) as Partial<FoundModes & { key: string }>;
    const { modes = {}, unusable = {}, notes = [] } = kept;
    const isWhole = names.every(
      (name) => compileModes.some((known) => known === modes[name]) || typeof unusable[name] === 'string',
    );
    const isText = notes.every((note) => typeof note === 'string');
    return kept.key === key && isWhole && isText ? { modes, unusable, notes } : undefined;
  } catch {
    return undefined;
  }
}

/** Stores `found` for `key`. After a failed write the next start tries again. */
export async function remember(directory: string, key: string, found: FoundModes): Promise<void> {
  const file = fileOf(directory, key);
  await makeDirectory(join(directory, FOLDER), 0o700)
    .then(() => replaceFile(file, `${JSON.stringify({ key, ...found })}\n`, 0o600))
    .catch(() => {});
}

const FOLDER = 'kernels';

function fileOf(directory: string, key: string): string {
  return join(directory, FOLDER, `${createHash('sha256').update(key).digest('hex')}.json`);
}
