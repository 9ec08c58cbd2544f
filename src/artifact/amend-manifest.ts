import { join } from 'node:path';
import { replaceFile, throwFileError } from '../base/index.js';
import { readManifest } from './artifact.js';
import { MANIFEST_NAME, type Manifest } from './manifest.js';
import { parseManifest } from './parse-manifest.js';

/** Changes to a manifest's origin: its id, and facts added to its `source`. */
export interface ManifestChange {
  readonly id: string;
  readonly source: Manifest['source'];
}

/**
 * Writes the id and additions to `source` into the manifest of an artifact that no reader uses yet. Changes no other
 * file. A fact of the same name is replaced. Errors: those of opening the artifact and of writing files.
 */
export async function amendManifest(directory: string, { id, source }: ManifestChange): Promise<Manifest> {
  const before = await readManifest(directory).catch(throwFileError('read', directory));
  const manifest = { ...before, id, source: { ...before.source, ...source } };
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  // A manifest that our reader refuses is never written.
  const checked = parseManifest(bytes, directory);
  await replaceFile(join(directory, MANIFEST_NAME), bytes).catch(throwFileError('write', directory));
  return checked;
}
