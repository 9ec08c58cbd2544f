import { readArtifactHead, SIGNATURE_NAME, type ArtifactHead, type ModelSource } from '../artifact/index.js';
import { AppError, isAppError } from '../base/index.js';
import { verifySignature } from './ed25519.js';
import { parseEnvelope, toSignedBytes, type Envelope } from './envelope.js';
import { tampered } from './errors.js';
import { documentOf, parseDocument, whyNotSigned, type SignedDocument } from './signed-document.js';

/** Signatures that hold, of content that is what was signed. */
export interface SignedBy {
  /** `trusted`: at least one key that signed it is trusted; `unknown`: none is. */
  readonly state: 'trusted' | 'unknown';
  /** Public keys that signed it, 64 hexadecimal digits each: those that are trusted, or where none is, all. */
  readonly keys: readonly string[];
  /** All keys that signed it. */
  readonly signers: readonly string[];
  readonly revision: number;
}

/** What a model's signatures say, which was not refused. */
export type Signature = { readonly state: 'unsigned' } | SignedBy;

/** The same, and `tampered` for a signed model that must not be used, with the reason in a sentence. */
export type SignatureState = Signature | { readonly state: 'tampered'; readonly why: string };

/** A signature file that was read: every one of its signatures holds. */
export interface ReadSignature {
  readonly envelope: Envelope;
  readonly document: SignedDocument;
}

/** What is needed of an opened model. */
type Subject = Pick<ModelSource, 'directory' | 'manifest' | 'signable'>;

/**
 * What the signatures of a model say, held against the files that it has open: bytes that are not read yet are verified
 * when they are, by the hashes that were signed. Errors: `signature_invalid`.
 */
export async function checkSignature(subject: Subject, trustedKeys: readonly string[]): Promise<Signature> {
  const { directory, manifest, signable } = subject;
  if (signable?.signature === undefined) return { state: 'unsigned' };
  const { envelope, document } = await readSignature(signable.signature, directory);
  checkContent(document, { manifest, signable }, directory);
  return signedBy(envelope, document, trustedKeys);
}

/** A signature file. Errors: `signature_invalid` where it is malformed, or one signature in it does not hold. */
export async function readSignature(bytes: Uint8Array, directory: string): Promise<ReadSignature> {
  const refuse = (why: string): AppError => tampered(directory, `${SIGNATURE_NAME} ${why}`);
  const envelope = parseEnvelope(bytes, refuse);
  const message = toSignedBytes(envelope.payload);
  for (const { key, bytes: signature } of envelope.signatures) {
    if (!(await verifySignature(Buffer.from(key, 'hex'), message, signature))) {
      throw refuse(`has a signature that ${key} did not make`);
    }
  }
  return { envelope, document: parseDocument(envelope.payload, refuse) };
}

/** Errors: `signature_invalid` where the artifact has other files than were signed. */
export function checkContent(document: SignedDocument, head: ArtifactHead, directory: string): void {
  const why = whyNotSigned(document, documentOf(head, document.revision));
  if (why !== undefined) throw tampered(directory, why);
}

/** Who signed it, of signatures that hold. */
export function signedBy(envelope: Envelope, { revision }: SignedDocument, trustedKeys: readonly string[]): SignedBy {
  const signers = envelope.signatures.map(({ key }) => key);
  const trusted = signers.filter((key) => trustedKeys.includes(key));
  return trusted.length > 0
    ? { state: 'trusted', keys: trusted, signers, revision }
    : { state: 'unknown', keys: signers, signers, revision };
}

/**
 * What the signatures of the artifact in `directory` say, for lists: reads its manifest and its signature, and takes the
 * sizes and hashes of the other files from the manifest. So `trusted` here says what a load would find if no file was
 * changed. Errors: those of reading an artifact, but for `signature_invalid`.
 */
export async function signatureStateOf(
  directory: string,
  trustedKeys: readonly string[] = [],
): Promise<SignatureState> {
  try {
    const head = await readArtifactHead(directory);
    return await checkSignature({ directory, ...head }, trustedKeys);
  } catch (error) {
    if (!isAppError(error) || error.code !== 'signature_invalid') throw error;
    return { state: 'tampered', why: error.message };
  }
}
