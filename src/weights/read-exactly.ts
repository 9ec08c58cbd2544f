import { AppError, throwFileError } from '../base/index.js';
import type { ReadableFile } from './readable-file.js';

/** Most bytes of one read: Linux cuts a read at 2 GiB, and Node refuses more than 2^31 − 1. */
const PIECE_BYTES = 1 << 30;

/** Fills `into` from `position` of `file` on. Errors: `checkpoint_invalid` when the file ends too early, `io_failed`. */
export async function readExactly(
  file: ReadableFile,
  into: Uint8Array,
  position: number,
  fileName: string,
): Promise<void> {
  let done = 0;
  while (done < into.length) {
    const { bytesRead } = await file
      .read(into, done, Math.min(into.length - done, PIECE_BYTES), position + done)
      .catch(throwFileError('read', fileName));
    if (bytesRead === 0) {
      const message = `${fileName} ended at byte ${position + done} while it was read`;
      throw new AppError('checkpoint_invalid', message, { file: fileName });
    }
    done += bytesRead;
  }
}
