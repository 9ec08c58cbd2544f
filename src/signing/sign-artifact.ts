import { access, constants, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { openArtifact, SIGNATURE_NAME, type Artifact, type OnProgress } from '../artifact/index.js';
import { AppError, replaceFile, throwFileError } from '../base/index.js';
import { signMessage, toPublicKey } from './ed25519.js';
import { MAX_SIGNATURES, renderEnvelope, toSignedBytes, type Envelope, type Signature } from './envelope.js';
import { highestSeen, isSame, noteRevision } from './seen-revisions.js';
import { documentOf, renderDocument, whyNotSigned, type SignedDocument } from './signed-document.js';
import { readSignature, type ReadSignature } from './signature-state.js';

/** What is signed, and by which private key. */
export interface SignOptions {
  /** 32 bytes. */
  readonly seed: Uint8Array;
  /** Where the revisions that were seen are remembered; undefined: nowhere. */
  readonly trustDir: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of the phase `load` while weights are hashed. */
  readonly onProgress?: OnProgress | undefined;
}

/** An artifact that was signed. */
export interface SignedArtifact {
  readonly document: SignedDocument;
  readonly envelope: Envelope;
  /** The public key of this signature. */
  readonly key: string;
  /** Why the revision is higher than that of the signatures before, which are gone; undefined where they stay. */
  readonly change: string | undefined;
}

/**
 * Signs the artifact in `directory`, after checking every byte of it against its manifest. Signatures of the same
 * content stay. If the content differs from the signed one, or from the one that this machine has seen, its revision is
 * raised and they are removed. Errors: those of an artifact that cannot be opened, `artifact_corrupt`;
 * `signature_invalid` for a broken signature file. Those of writing files; the reason of the signal.
 */
export async function signArtifact(directory: string, options: SignOptions): Promise<SignedArtifact> {
  const { seed, trustDir, signal, onProgress } = options;
  await using artifact = await openArtifact(directory);
  const before = await readBefore(artifact);
  await artifact.verifyWeights({ signal, onProgress });
  const key = Buffer.from(await toPublicKey(seed)).toString('hex');
  const change = before && whyNotSigned(before.document, documentOf(artifact, before.document.revision));
  const document = documentOf(artifact, await chooseRevision(artifact, before, change, trustDir));
  const isKept = before?.document.revision === document.revision;
  const payload = renderDocument(document);
  const kept = isKept ? before.envelope.signatures.filter((signature) => signature.key !== key) : [];
  if (kept.length >= MAX_SIGNATURES) throw tooMany(directory);
  const signature = { key, bytes: await signMessage(seed, toSignedBytes(payload)) };
  const envelope = { payload, signatures: [...kept, signature] };
  signal?.throwIfAborted();
  // First, so that where it cannot be remembered nothing is signed.
  if (trustDir !== undefined) await noteRevision(trustDir, document, directory, false);
  await writeSignature(directory, envelope);
  return {
    document,
    envelope,
    key,
    change: before !== undefined && !isKept ? (change ?? 'a newer one was seen') : undefined,
  };
}

/** Puts signature.json of an artifact in its place. Errors: those of writing files. */
export async function writeSignature(directory: string, envelope: Envelope): Promise<void> {
  const place = join(directory, SIGNATURE_NAME);
  try {
    await replaceFile(place, renderEnvelope(envelope), 0o644, await scratchBeside(directory));
  } catch (error) {
    throwFileError('write', place)(error);
  }
}

/** Signatures of both, each key once: those of `more` win. Errors: `signature_invalid` where there would be too many. */
export function mergeSignatures(
  directory: string,
  before: readonly Signature[],
  more: readonly Signature[],
): readonly Signature[] {
  const merged = new Map([...before, ...more].map((signature) => [signature.key, signature]));
  if (merged.size > MAX_SIGNATURES) throw tooMany(directory);
  return [...merged.values()];
}

async function readBefore({ directory, signable }: Artifact): Promise<ReadSignature | undefined> {
  if (signable.signature === undefined) return undefined;
  return readSignature(signable.signature, directory);
}

/** The revision of what was signed or seen, where the content is the same; one more than both where it is not. */
async function chooseRevision(
  artifact: Artifact,
  before: ReadSignature | undefined,
  change: string | undefined,
  trustDir: string | undefined,
): Promise<number> {
  const signed = before?.document.revision ?? 0;
  const first = documentOf(artifact, Math.max(1, signed));
  const seen = trustDir === undefined ? undefined : await highestSeen(trustDir, first);
  if (seen !== undefined && seen.revision >= signed) {
    if (isSame(seen, documentOf(artifact, seen.revision))) return seen.revision;
    if (seen.revision > signed || change !== undefined) return raise(artifact.directory, seen.revision);
  }
  return before !== undefined && change === undefined ? signed : raise(artifact.directory, signed);
}

function raise(directory: string, revision: number): number {
  if (Number.isSafeInteger(revision + 1)) return revision + 1;
  const message = `the model ${directory} has the highest revision there is, ${revision}, so that no change of it can be signed; remove ${SIGNATURE_NAME}, and remove its entry of --trust-dir`;
  throw new AppError('signature_invalid', message, { directory, revision });
}

function tooMany(directory: string): AppError {
  const message = `the model ${directory} has ${MAX_SIGNATURES} signatures already, which is the limit; remove ${SIGNATURE_NAME} to begin anew`;
  return new AppError('signature_invalid', message, { directory, limit: MAX_SIGNATURES });
}

/** A place for what is half written: beside the directory, in which every file counts, or where that cannot be, in it. */
async function scratchBeside(directory: string): Promise<string> {
  const path = resolve(directory);
  const parent = dirname(path);
  const [own, above] = await Promise.all([stat(path), stat(parent)]);
  const isWritable = await access(parent, constants.W_OK).then(
    () => own.dev === above.dev,
    () => false,
  );
  return isWritable ? join(parent, `.${basename(path)}.${SIGNATURE_NAME}`) : join(path, SIGNATURE_NAME);
}
