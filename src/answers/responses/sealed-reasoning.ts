/** Distinguishes our sealed text from other servers'. */
const PREFIX = 'plain.';

/**
 * Reasoning as `encrypted_content`, for clients that send back only that. It is no secret: the client has the same text
 * in the item, so it is in base64 only.
 */
export function sealReasoning(text: string): string {
  return PREFIX + Buffer.from(text).toString('base64');
}

/** The reasoning that was sealed here; undefined for another server's, which only that server can read. */
export function unsealReasoning(sealed: string): string | undefined {
  if (!sealed.startsWith(PREFIX)) return undefined;
  return Buffer.from(sealed.slice(PREFIX.length), 'base64').toString();
}
