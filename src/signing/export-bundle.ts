import { readArtifactHead } from '../artifact/index.js';
import { AppError } from '../base/index.js';
import { unsigned } from './open-trusted.js';
import { checkContent, readSignature } from './signature-state.js';
import { renderBundle } from './sigstore-bundle.js';

/**
 * A signature of the artifact in `directory` as a bundle: that of `key`, or the only one. Errors: those of an artifact
 * that cannot be read; `signature_missing`, `signature_invalid`, `signature_untrusted`; `invalid_option` where there are
 * several and none is named.
 */
export async function exportBundle(directory: string, key?: string): Promise<string> {
  const head = await readArtifactHead(directory);
  if (head.signable.signature === undefined) throw unsigned(directory);
  const { envelope, document } = await readSignature(head.signable.signature, directory);
  checkContent(document, head, directory);
  const [first, second] = envelope.signatures;
  if (key === undefined && second !== undefined) {
    const keys = envelope.signatures.map((signature) => signature.key).join(', ');
    const message = `the model ${directory} has several signatures, and a bundle holds one; name its key with --key: ${keys}`;
    throw new AppError('invalid_option', message, { directory });
  }
  return renderBundle(envelope, key ?? first?.key ?? '');
}
