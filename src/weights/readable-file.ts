import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** The used part of an open file. */
export interface ReadableFile {
  read(into: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  stat(): Promise<Stats>;
  close(): Promise<void>;
}

/** Awaited before bytes from `start` to `end` of the file at `path` are read: they may still be on their way. */
export type BeforeRead = (path: string, start: number, end: number) => Promise<void>;

/** The file, whose reads wait for `beforeRead`, if given. Errors of a read: those of `beforeRead` too. */
export function waitingFile(file: FileHandle, path: string, beforeRead: BeforeRead | undefined): ReadableFile {
  if (beforeRead === undefined) return file;
  return {
    async read(into, offset, length, position) {
      await beforeRead(path, position, position + length);
      return file.read(into, offset, length, position);
    },
    stat: () => file.stat(),
    close: () => file.close(),
  };
}
