import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Longest path of a socket, its end included, on the strictest system. Source: macOS, sys/un.h. */
const MAX_PATH_BYTES = 104;

/**
 * The socket path of the server of a data directory: in the directory, or in a shorter one where its path is too long.
 * `product` is a word.
 */
export function controlPath(dataDir: string, product: string): string {
  const path = join(dataDir, 'control.sock');
  const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 24);
  if (process.platform === 'win32') return `\\\\.\\pipe\\troupe-${product}-${name}`;
  return Buffer.byteLength(path) < MAX_PATH_BYTES ? path : join(tmpdir(), `troupe-${product}-${name}.sock`);
}
