/** FNV-1a over bytes, with a last mix for the low bits. tokenizer.bin has tables by it. Source: Fowler, Noll and Vo. */
export function hashOfBytes(bytes: Uint8Array, count: number, start = 0): number {
  let hash = 0x811c_9dc5 | 0;
  for (let i = start; i < start + count; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x0100_0193);
  return hash ^ (hash >>> 15);
}
