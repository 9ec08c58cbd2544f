// Keys derived from the secret of hosted.yaml: one for each purpose. None reveals another. Source: RFC 5869.
import { hkdfSync } from 'node:crypto';

/** The keys of a service. */
export interface ServiceKeys {
  /** Of the HMAC under which secrets of keys are kept. */
  readonly hmacKey: Uint8Array;
  /** Of AES-256-GCM, which seals credentials of gateways. */
  readonly sealKey: Uint8Array;
  /** An id that every node of one service reports, and that reveals nothing of its secret. */
  readonly serviceId: string;
}

/** The keys derived from a secret. */
export function toServiceKeys(secret: Uint8Array): ServiceKeys {
  const derive = (purpose: string, sizeBytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, new Uint8Array(0), `troupe hosted-api: ${purpose}`, sizeBytes));
  return {
    hmacKey: derive('keys of accounts', 32),
    sealKey: derive('credentials of connected gateways', 32),
    serviceId: derive('service id', 16).toString('hex'),
  };
}
