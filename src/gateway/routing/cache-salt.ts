import { createHmac } from 'node:crypto';

/**
 * The salt that separates the cached prompts of one client from those of all others in a runtime that shares them. It
 * is the same for all requests of a key with the same own salt, and does not reveal the id of the key.
 */
export function toCacheSalt(secret: Uint8Array, keyId: string, own: string | undefined): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([keyId, own ?? null]))
    .digest('base64url');
}
