import { createHash } from 'node:crypto';

/** Parts into which nodes share the syncs of gateways. It is in the database: another number would move every gateway. */
const NUM_SHARDS = 16;

/** All of them. */
export const SHARDS: readonly string[] = Array.from({ length: NUM_SHARDS }, (_, i) => String(i));

/** The part of a gateway. */
export function shardOf(slug: string): string {
  return String(createHash('sha256').update(slug).digest().readUInt32BE(0) % NUM_SHARDS);
}
