import type { RequestFacts } from '../request/scan-request.js';

/** Bytes of a conversation's beginning that identify it. */
const KEY_BYTES = 4_096;
const SYSTEM = /"role"\s*:\s*"(?:system|developer)"/;

/**
 * A number that is the same for all turns of one conversation: a hash of its first messages up to the first of a user, or of the
 * beginning of a prompt. `salt` separates clients. Undefined: the request has neither.
 */
export function prefixKey(body: Uint8Array, { conversation }: RequestFacts, salt: string): number | undefined {
  if (conversation === undefined) return undefined;
  const { start, kind, itemEnds } = conversation;
  const [first = conversation.end, second = first] = itemEnds;
  if (kind === 'string') return hash(body.subarray(start, Math.min(conversation.end, start + KEY_BYTES)), salt);
  // Every chat of an application begins with the same system message.
  const head = Buffer.from(body.buffer, body.byteOffset + start, Math.min(first - start, KEY_BYTES)).toString('latin1');
  const end = SYSTEM.test(head) ? second : first;
  const bytes = body.subarray(Math.max(start, end - KEY_BYTES), end);
  // Hash to the end: long system messages, and users' first messages, may share their beginning.
  return hash(bytes, salt);
}

/** FNV-1a of 32 bits. Source: draft-eastlake-fnv. */
export function hash(bytes: Uint8Array, salt: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(salt)) value = Math.imul(value ^ byte, 0x01000193);
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}
