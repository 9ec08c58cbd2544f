import { randomBytes } from 'node:crypto';

/** A new UUIDv7: 48 bits of time, then random ones. So ids grow with time. Source: RFC 9562, section 5.7. */
export function createRequestId(unixMs: number, random: (sizeBytes: number) => Uint8Array = randomBytes): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.floor(unixMs), 0, 6);
  bytes.set(random(10), 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
