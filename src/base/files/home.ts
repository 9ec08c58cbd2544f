import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';

/**
 * The user's home directory; undefined without one. `os.homedir` throws for a user id without an entry in the user
 * database, as in a container with an arbitrary user. An empty HOME would turn paths into those of the working
 * directory.
 */
export function findHome(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}
