import { openArtifact } from '../artifact/index.js';

/**
 * Bytes of the files of the artifact in `directory`, by its manifest. Errors: those of an artifact that cannot be
 * opened.
 */
export async function artifactBytes(directory: string): Promise<number> {
  await using artifact = await openArtifact(directory);
  return artifact.manifest.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
