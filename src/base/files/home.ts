import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';

/**
 * The user's home directory; undefined where there is none. `os.homedir` throws for a user id without an entry in the
 * user database, as in a container that runs as any user, and an empty HOME would make paths of the working directory.
 */
export function findHome(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}
