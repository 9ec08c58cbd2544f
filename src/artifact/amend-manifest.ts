import { join } from 'node:path';
import { replaceFile, throwFileError } from '../base/index.js';
import { readManifest } from './artifact.js';
import { MANIFEST_NAME, type Manifest } from './manifest.js';
import { parseManifest } from './parse-manifest.js';

/** What a manifest says of where its model is from: its id, and facts that are added to its `source`. */
export interface ManifestChange {
  readonly id: string;
  readonly source: Manifest['source'];
}

/**
 * Writes the id and more of the source into the manifest of an artifact that nobody reads yet; no other file changes. A
 * fact that is there already under the same name is replaced. Errors: those of opening the artifact and of writing files.
 */
export async function amendManifest(directory: string, { id, source }: ManifestChange): Promise<Manifest> {
  const before = await readManifest(directory).catch(throwFileError('read', directory));
  const manifest = { ...before, id, source: { ...before.source, ...source } };
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  // What we would not read we do not write.
  const checked = parseManifest(bytes, directory);
  await replaceFile(join(directory, MANIFEST_NAME), bytes).catch(throwFileError('write', directory));
  return checked;
}
