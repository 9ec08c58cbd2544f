// A file system of a few megabytes, where this user may mount one.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small disk at `path`. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  makeReadOnly(): void;
}

/** Mounts one. */
export function mountSmallDisk(sizeBytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', path]);
  if (status !== 0) {
    rmSync(path, { recursive: true });
    throw new Error(`mount: ${String(stderr)}`);
  }
  return {
    path,
    makeReadOnly: () => void spawnSync('mount', ['-o', 'remount,ro', path]),
    [Symbol.dispose]() {
      spawnSync('umount', [path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Whether this user may mount a file system: only the administrator may, and not in every container. */
export const canMount = ((): boolean => {
  try {
    using _ = mountSmallDisk(1 << 20);
    return true;
  } catch {
    return false;
  }
})();
