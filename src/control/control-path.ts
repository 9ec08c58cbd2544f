import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Bytes that the path of a socket may have, its end included, on the strictest system. Source: macOS, sys/un.h. */
const MAX_PATH_BYTES = 104;

/** Where the server of a data directory listens for its operator: there, or where paths are shorter. `product` is a word. */
export function controlPath(dataDir: string, product: string): string {
  const path = join(dataDir, 'control.sock');
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 24);
  if (process.platform === 'win32') return `\\\\.\\pipe\\troupe-${product}-${name}`;
  return Buffer.byteLength(path) < MAX_PATH_BYTES ? path : join(tmpdir(), `troupe-${product}-${name}.sock`);
}
