import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError, hasErrorCode, throwFileError } from '../../base/index.js';
import { readExactly } from '../read-exactly.js';
import { waitingFile, type BeforeRead, type ReadableFile } from '../readable-file.js';
import { EndOfBytes } from './cursor.js';
import { parseHeader, type GgufHeader } from './header.js';
import { ggufInvalid } from './invalid.js';
import { MAX_GGUF_HEADER_BYTES } from './limits.js';

/** First bytes that are read of a file: the whole header of most without a large vocabulary, and of most with one. */
const FIRST_BYTES = 1 << 20;
const FIRST_OF_LARGE = 8 * FIRST_BYTES;
/** From so many bytes on a file most likely has a large vocabulary. */
export const LARGE_FILE_BYTES = 128 * 1024 * 1024;

/** An open file and its header. */
export interface OpenFile {
  readonly name: string;
  readonly file: ReadableFile;
  readonly header: GgufHeader;
}

/**
 * Opens the GGUF file at `path`, whose bytes may still be downloading. Errors: `checkpoint_not_found`,
 * `checkpoint_invalid`, those of reading files.
 */
export async function openFile(path: string, beforeRead?: BeforeRead): Promise<OpenFile> {
  const name = basename(path);
  // Not to hang on a pipe: O_NONBLOCK opens it at once, and the check below refuses it.
  const opened = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    if (!hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return throwFileError('read', path)(error);
    throw new AppError('checkpoint_not_found', `there is no file ${path}`, { path });
  });
  const file = waitingFile(opened, path, beforeRead);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw ggufInvalid(name, 'it is not a regular file');
    if (found.size === 0) throw ggufInvalid(name, 'it is empty');
    return { name, file, header: await readHeader(file, found.size, name) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Parses the first bytes, or eight times as many while that is not the whole header. */
async function readHeader(file: ReadableFile, fileBytes: number, name: string): Promise<GgufHeader> {
  for (let window = fileBytes < LARGE_FILE_BYTES ? FIRST_BYTES : FIRST_OF_LARGE; ; window *= 8) {
    // Shared, for threads that read a tokenizer out of it.
    const bytes = new Uint8Array(new SharedArrayBuffer(Math.min(window, fileBytes, MAX_GGUF_HEADER_BYTES)));
    await readExactly(file, bytes, 0, name);
    try {
      return parseHeader(bytes, fileBytes, name);
    } catch (error) {
      if (!(error instanceof EndOfBytes)) throw error;
      if (bytes.length === MAX_GGUF_HEADER_BYTES)
        throw ggufInvalid(name, `its header is longer than ${MAX_GGUF_HEADER_BYTES} bytes`);
    }
  }
}
