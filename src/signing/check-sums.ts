import { openArtifact, type TensorTarget } from '../artifact/index.js';
import type { VerifiedArtifact, VerifyOptions } from './verify-artifact.js';

/** An artifact of which every byte is what its manifest says; who made the manifest was not looked at. */
export interface CheckedArtifact extends Pick<VerifiedArtifact, 'id' | 'quant' | 'numFiles' | 'sizeBytes'> {
  /** Whether it has a signature, which was not checked. */
  readonly isSigned: boolean;
}

/**
 * Checks that the files of the artifact in `directory` are whole: the SHA-256 of each, the weights chunk by chunk. This finds
 * damage, and no forgery. Errors: those of `openArtifact`, `artifact_corrupt`; the reason of the signal.
 */
export async function checkSums(
  directory: string,
  { signal, onProgress }: Pick<VerifyOptions, 'signal' | 'onProgress'> = {},
): Promise<CheckedArtifact> {
  await using artifact = await openArtifact(directory);
  await artifact.fill(Array.of<TensorTarget>(), { signal, onProgress });
  const { id, quant, files } = artifact.manifest;
  const { manifestFile, signature } = artifact.signable;
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, manifestFile.sizeBytes);
  return { id, quant, numFiles: files.length + 1, sizeBytes, isSigned: signature !== undefined };
}
