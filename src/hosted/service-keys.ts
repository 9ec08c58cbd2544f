// What is made of the secret of hosted.yaml: a key for each purpose, so that none of them tells of another. Source: RFC 5869.
import { hkdfSync } from 'node:crypto';
import { invalidValue } from '../base/index.js';
import { createSeal, type Seal } from './gateways/credential-seal.js';

/** Fewer can be guessed. */
const MIN_SECRET_BYTES = 32;

/** The keys of one service: the same on every node. */
export interface ServiceKeys {
  /** Of the HMAC under which keys of accounts are kept. 32 bytes. */
  readonly hmacKey: Uint8Array;
  /** Of credentials of connected gateways. */
  readonly seal: Seal;
  /** A word that every node says of itself, and that tells nothing of the secret. */
  readonly serviceId: string;
}

/** The keys of a secret. Errors: `invalid_value` where it is too short. */
export function toServiceKeys(secret: string): ServiceKeys {
  const bytes = Buffer.from(secret, 'utf8');
  if (bytes.length < MIN_SECRET_BYTES)
    throw invalidValue(
      'secret',
      `${bytes.length} bytes`,
      `at least ${MIN_SECRET_BYTES} bytes; openssl rand -hex 32 makes some`,
    );
  const derive = (purpose: string, sizeBytes: number): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', bytes, new Uint8Array(0), `troupe hosted-api: ${purpose}`, sizeBytes));
  return {
    hmacKey: derive('keys of accounts', 32),
    seal: createSeal(derive('credentials of connected gateways', 32)),
    serviceId: Buffer.from(derive('service id', 16)).toString('hex'),
  };
}
