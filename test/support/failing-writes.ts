// Writes to files that fail, as on a disk that is full, a network's file system that went away.
import { open } from 'node:fs/promises';

/** From now on every write through a file handle fails with `code` once `afterBytes` were written. Disposing of it ends that. */
export async function failWrites(code: string, afterBytes: number): Promise<Disposable> {
  const file = await open('/dev/null');
  type Write = (...args: unknown[]) => Promise<{ bytesWritten: number }>;
  const handles = Object.getPrototypeOf(file) as { write: Write; writev: Write };
  await file.close();
  const { write, writev } = handles;
  let written = 0;
  const failing = (original: Write): Write =>
    async function (this: unknown, ...args) {
      if (written >= afterBytes) throw Object.assign(new Error(`${code}: injected, write`), { code, syscall: 'write' });
      const done = await original.apply(this, args);
      written += done.bytesWritten;
      return done;
    };
  Object.assign(handles, { write: failing(write), writev: failing(writev) });
  return {
    [Symbol.dispose]() {
      Object.assign(handles, { write, writev });
    },
  };
}
