// Signatures as Standard Webhooks 1.0 has them (github.com/standard-webhooks/standard-webhooks).
import { createHmac } from 'node:crypto';
import { AppError } from '../base/index.js';

/** Bytes of a secret. Source: the specification, "Signature scheme". */
const MIN_BYTES = 24;
const MAX_BYTES = 64;
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** The bytes of a secret `whsec_...`. Errors: `webhook_secret_missing`, without the text. */
export function parseWebhookSecret(text: string, webhook: string): Uint8Array {
  const bytes = Buffer.from(SECRET.exec(text)?.[1] ?? '', 'base64');
  if (bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES) return bytes;
  const message =
    `the secret of webhook ${webhook} is not whsec_ and ${MIN_BYTES} to ${MAX_BYTES} bytes in base64; ` +
    'make one with: echo whsec_$(openssl rand -base64 32)';
  throw new AppError('webhook_secret_missing', message, { webhook });
}

/** The signed parts of a request. */
export interface Signed {
  readonly id: string;
  /** Seconds since 1970, of this attempt. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of an attempt: id, time and HMAC-SHA256 of both with the body. */
export function toSignedHeaders(secret: Uint8Array, { id, timestamp, body }: Signed): Readonly<Record<string, string>> {
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` };
}
