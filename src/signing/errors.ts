import { AppError, type CodeTable } from '../base/index.js';

/** Codes of signing artifacts and of refusing them by their signatures. */
export const signingCodes = {
  signature_missing: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a model has no signature, and only signed models may be loaded',
  },
  signature_untrusted: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a model is signed, but by no trusted key, and only models signed by one may be loaded',
  },
  signature_invalid: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a signed model was changed, or its signature is broken; it is never loaded',
  },
  signature_rollback: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a signed model has a lower revision than one of the same id that this machine has seen',
  },
  signing_key_invalid: { who: 'caller', kind: 'invalid_argument', when: 'a private key cannot be used to sign' },
  signing_key_exists: {
    who: 'caller',
    kind: 'already_exists',
    when: 'a key pair was to be written where a file is already',
  },
  bundle_invalid: { who: 'caller', kind: 'invalid_argument', when: 'a file is no Sigstore bundle that can be used' },
} as const satisfies CodeTable;

/** The error for a signed artifact whose files or signature are not what was signed; `why` is a clause about them. */
export function tampered(directory: string, why: string): AppError {
  const message = `the signed model ${directory} is refused: ${why}; fetch it again, or have it signed again`;
  return new AppError('signature_invalid', message, { directory });
}
