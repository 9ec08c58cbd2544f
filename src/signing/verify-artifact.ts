import { open } from 'node:fs/promises';
import {
  MAX_SIGNATURE_BYTES,
  openArtifact,
  readArtifactHead,
  type Artifact,
  type ModelSource,
  type OnProgress,
  type TensorTarget,
} from '../artifact/index.js';
import { AppError, present, throwFileError } from '../base/index.js';
import { renderEnvelope } from './envelope.js';
import { asTampered, openTrusted, untrusted, type TrustPolicy } from './open-trusted.js';
import { mergeSignatures, writeSignature } from './sign-artifact.js';
import { checkSignature, readSignature, type SignedBy } from './signature-state.js';
import { readBundle } from './sigstore-bundle.js';

/** How an artifact is verified. */
export interface VerifyOptions extends Omit<TrustPolicy, 'requireSigned'> {
  /** A file with a signature, which counts instead of those in the directory. */
  readonly bundle?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of the phase `load` while weights are hashed. */
  readonly onProgress?: OnProgress | undefined;
}

/** An artifact of which every byte is what a trusted key signed. */
export interface VerifiedArtifact extends SignedBy {
  readonly id: string;
  readonly quant: string;
  /** Files, signature.json not counted, and their bytes. */
  readonly numFiles: number;
  readonly sizeBytes: number;
}

/**
 * Verifies that a trusted key signed the artifact in `directory` and that every byte of it is what was signed.
 * Errors: those of `openTrusted` with `requireSigned`; `bundle_invalid`; the reason of the signal.
 */
export async function verifyArtifact(directory: string, options: VerifyOptions): Promise<VerifiedArtifact> {
  const { verified } = await verify(directory, options);
  return verified;
}

/**
 * Takes the signatures of a bundle into the artifact in `directory`, beside those of the same content that are there.
 * Errors: those of `verifyArtifact`, those of writing files.
 */
export async function importBundle(
  directory: string,
  options: VerifyOptions & { readonly bundle: string },
): Promise<VerifiedArtifact> {
  const { verified, signature } = await verify(directory, options);
  const { envelope } = await readSignature(signature, directory);
  const own = (await readArtifactHead(directory)).signable.signature;
  const before = own === undefined ? undefined : (await readSignature(own, directory)).envelope;
  const isSame = before !== undefined && Buffer.from(before.payload).equals(envelope.payload);
  const signatures = mergeSignatures(directory, isSame ? before.signatures : [], envelope.signatures);
  await writeSignature(directory, { ...envelope, signatures });
  return verified;
}

async function verify(
  directory: string,
  options: VerifyOptions,
): Promise<{ readonly verified: VerifiedArtifact; readonly signature: Uint8Array }> {
  const { bundle, signal, onProgress, ...policy } = options;
  const openWith = async (place: string): Promise<ModelSource> => {
    const artifact = await openArtifact(place).catch((error: unknown) => {
      throw bundle === undefined ? error : asTampered(place, error);
    });
    return bundle === undefined ? artifact : withBundle(artifact, bundle, policy.trustedKeys);
  };
  const opened = await openTrusted(directory, openWith, { ...policy, requireSigned: true });
  await using source = opened.source;
  // Into no memory: every byte is hashed all the same.
  await source.fill(Array.of<TensorTarget>(), { signal, onProgress });
  const { id, quant, files } = source.manifest;
  const { manifestFile, signature } = present(source.signable, 'what is signed is an artifact');
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, manifestFile.sizeBytes);
  const by = opened.signature.state === 'unsigned' ? undefined : opened.signature;
  return {
    verified: { ...present(by, 'what is not signed was refused'), id, quant, numFiles: files.length + 1, sizeBytes },
    signature: present(signature, 'what is not signed was refused'),
  };
}

/** The artifact with the signature of a bundle in the place of its own, which must not be broken all the same. */
async function withBundle(artifact: Artifact, path: string, trustedKeys: readonly string[]): Promise<ModelSource> {
  try {
    const { directory, manifest, signable } = artifact;
    await checkSignature(artifact, trustedKeys);
    const envelope = await readBundle(await readBundleFile(path), trustedKeys, path);
    if (envelope.signatures.length === 0) throw untrusted(directory, []);
    return {
      directory,
      manifest,
      signable: { ...signable, signature: renderEnvelope(envelope) },
      readFile: (name) => artifact.readFile(name),
      fill: (placements, how) => artifact.fill(placements, how),
      [Symbol.asyncDispose]: () => artifact[Symbol.asyncDispose](),
    };
  } catch (error) {
    await artifact[Symbol.asyncDispose]();
    throw error;
  }
}

/** Errors: `bundle_invalid`, those of reading files. */
async function readBundleFile(path: string): Promise<Uint8Array> {
  const file = await open(path).catch(throwFileError('read', path));
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > MAX_SIGNATURE_BYTES) {
      const why = found.isFile() ? `has ${found.size} bytes; the limit is ${MAX_SIGNATURE_BYTES}` : 'is no file';
      throw new AppError('bundle_invalid', `${path} ${why}`, { path });
    }
    return await file.readFile().catch(throwFileError('read', path));
  } finally {
    await file.close();
  }
}
