import { createHmac } from 'node:crypto';

/**
 * What parts the cached prompts of one client from those of all others in a runtime that shares them. The same for all
 * requests of a key, told to nobody by its id, and made of the client's own salt too where there is one.
 */
export function toCacheSalt(secret: Uint8Array, keyId: string, own: string | undefined): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([keyId, own ?? null]))
    .digest('base64url');
}
