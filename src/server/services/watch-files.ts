import { stat } from 'node:fs/promises';
import { every, type Clock } from '../../base/index.js';

/** Soon enough for a certificate that is renewed days before it expires, and no work. */
const PERIOD_MS = 2_000;

/**
 * Calls `onChange` when one of the files has changed and then stayed unchanged for a period: a certificate and its key
 * are two files, replaced one after the other. It polls, since file systems of networks and containers report nothing,
 * and Kubernetes changes the target of links. The returned function stops it.
 */
export function watchFiles(paths: () => readonly string[], onChange: () => void, clock: Clock): () => void {
  let seen: string | undefined;
  let isPending = false;
  const look = async (): Promise<void> => {
    const states = await Promise.all(paths().map(stateOf));
    const found = states.join('\n');
    if (found !== seen) {
      isPending = seen !== undefined;
      seen = found;
    } else if (isPending) {
      isPending = false;
      onChange();
    }
  };
  void look();
  return every(PERIOD_MS, clock, () => void look());
}

/** The properties that change when a file is written or replaced. */
async function stateOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found === undefined
    ? `${path} is not there`
    : `${path} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}
