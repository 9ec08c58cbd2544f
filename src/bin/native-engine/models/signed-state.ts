import { signatureStateOf, type SignatureState } from '../../../signing/index.js';
import type { StoredModel } from '../../../store/index.js';

/** What the signatures of a model say; undefined for a file, which can have none. Errors: those of reading an artifact. */
export async function signatureOf({ path, isFile }: StoredModel): Promise<SignatureState | undefined> {
  return isFile ? undefined : signatureStateOf(path);
}

/** Whether a model has a signature that holds; null for a file. */
export function isSigned(signature: SignatureState | undefined): boolean | null {
  if (signature === undefined) return null;
  return signature.state === 'trusted' || signature.state === 'unknown';
}
