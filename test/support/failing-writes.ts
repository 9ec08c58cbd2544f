// Writes to files that fail, as on a disk that is full, a network's file system that went away.
import { open } from 'node:fs/promises';

/** From now on every write through a file handle fails with `code` once `afterBytes` were written. Disposing of it ends that. */
export async function failWrites(code: string, afterBytes: number): Promise<Disposable> {
  const file = await open('/dev/null');
  const handles = Object.getPrototypeOf(file) as { write: (...args: unknown[]) => Promise<{ bytesWritten: number }> };
  await file.close();
  const original = handles.write;
  let written = 0;
  handles.write = async function (...args) {
    if (written >= afterBytes) throw Object.assign(new Error(`${code}: injected, write`), { code, syscall: 'write' });
    const done = await original.apply(this, args);
    written += done.bytesWritten;
    return done;
  };
  return {
    [Symbol.dispose]() {
      handles.write = original;
    },
  };
}
