import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { SIGNATURE_NAME, type ModelSource } from '../artifact/index.js';
import { AppError, hasErrorCode, toErrorData } from '../base/index.js';
import { tampered } from './errors.js';
import { defaultTrustDir, noteRevision } from './seen-revisions.js';
import { documentOf } from './signed-document.js';
import { checkSignature, type Signature } from './signature-state.js';

/** Which models may be loaded. A model whose signature does not hold never may. */
export interface TrustPolicy {
  /** Refuse what no trusted key signed. */
  readonly requireSigned: boolean;
  /** As `parseTrustedKeys` gives them. */
  readonly trustedKeys: readonly string[];
  /** Take a lower revision than was seen. */
  readonly allowRollback: boolean;
  /** Where revisions are remembered. Default: ~/.troupe/trust. */
  readonly trustDir?: string | undefined;
}

/** The default policy: a signed artifact must be whole, and no signature is required. */
export const trustAnything: TrustPolicy = { requireSigned: false, trustedKeys: [], allowRollback: false };

/** A model that was opened and may be loaded, and what its signatures say. */
export interface TrustedSource {
  readonly source: ModelSource;
  readonly signature: Signature;
}

/** What a corrupt file of a signed model is. */
const DAMAGE = ['artifact_corrupt', 'artifact_invalid'];

/**
 * Opens the model at `place` and checks its signatures against the open files and the policy. `fill` of the source
 * verifies weights by the signed hashes while it reads them. So the loaded bytes are the signed ones. Errors: those of
 * `open`; `signature_missing`, `signature_untrusted`, `signature_invalid`, `signature_rollback`; those of remembering a
 * revision.
 */
export async function openTrusted(
  place: string,
  open: (place: string) => Promise<ModelSource>,
  policy: TrustPolicy = trustAnything,
): Promise<TrustedSource> {
  // Looked at first: what was signed and then damaged is refused as that.
  const isSigned = await lstat(join(place, SIGNATURE_NAME)).then(Boolean, () => false);
  const opened = await open(place).catch((error: unknown) => {
    throw isSigned ? asTampered(place, error) : error;
  });
  try {
    const signature = await checkSignature(opened, policy.trustedKeys);
    await checkPolicy(opened, signature, policy);
    return { source: signature.state === 'unsigned' ? opened : refuseDamage(opened), signature };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

/** Errors: `signature_missing`, `signature_untrusted`, `signature_rollback`, those of remembering a revision. */
async function checkPolicy(source: ModelSource, signature: Signature, policy: TrustPolicy): Promise<void> {
  const { directory, manifest, signable } = source;
  if (signature.state === 'unsigned') {
    if (!policy.requireSigned) return;
    throw signable === undefined ? unsignedFile(directory) : unsigned(directory);
  }
  if (signature.state === 'unknown') {
    if (policy.requireSigned) throw untrusted(directory, signature.keys);
    return;
  }
  if (signable === undefined) return;
  const { allowRollback, trustDir = defaultTrustDir() } = policy;
  if (trustDir === undefined) {
    if (allowRollback) return;
    const message =
      'there is no home directory in which to remember the revisions of signed models; pass --trust-dir (trustDir in the library), or --allow-rollback';
    throw new AppError('invalid_option', message, { param: 'trustDir' });
  }
  await noteRevision(trustDir, documentOf({ manifest, signable }, signature.revision), directory, allowRollback);
}

/** The same source, which says of damage that is found while it is read that a signed model was changed. */
function refuseDamage(source: ModelSource): ModelSource {
  const { directory } = source;
  return {
    directory,
    manifest: source.manifest,
    signable: source.signable,
    readFile: (path) => source.readFile(path),
    fill: (placements, options) =>
      source.fill(placements, options).catch((error: unknown) => {
        throw asTampered(directory, error);
      }),
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

/** Damage as `signature_invalid`; any other error as it is. */
export function asTampered(directory: string, error: unknown): unknown {
  return hasErrorCode(error, ...DAMAGE)
    ? tampered(directory, `its content differs from the signed content (${toErrorData(error).message})`)
    : error;
}

const HOW = 'sign_artifact sign <private key file> <artifact directory>';

/** The error for an artifact without a signature where one is needed. */
export function unsigned(directory: string): AppError {
  const message = `the model ${directory} has no signature, and only models that a trusted key signed may be loaded; have it signed: ${HOW}`;
  return new AppError('signature_missing', message, { directory });
}

/** The error for a foreign file where only signed models may be loaded. */
export function unsignedFile(file: string): AppError {
  const message = `the model ${file} is a GGUF file, which can carry no signature, and only models that a trusted key signed may be loaded; convert it (native-engine convert ${file} --out DIR), have the directory signed (${HOW}), and load that`;
  return new AppError('signature_missing', message, { file });
}

/** The error for an artifact that only keys signed that are not trusted. */
export function untrusted(directory: string, keys: readonly string[]): AppError {
  const by = keys.length === 0 ? '' : `by ${keys.join(', ')}, and `;
  const message = `the model ${directory} is signed ${by}by no trusted key; fetch it from whom you trust, or, if that is the signer's key, trust it with --trusted-key (trustedKeys in the library)`;
  return new AppError('signature_untrusted', message, { directory, key: keys[0] ?? '' });
}
