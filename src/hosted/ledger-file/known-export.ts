import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { AppError, hasErrorCode, isAppError, throwFileError } from '../../base/index.js';
import { readGroup, type ExportedGroup } from './exported-group.js';

/** The content of an existing file to which the ledger is written. */
export interface KnownExport {
  readonly sizeBytes: number;
  readonly groups: number;
  readonly first: ExportedGroup;
  readonly last: ExportedGroup;
}

/** A line of an export has some kilobytes at most. */
const MAX_LINE = 1024 * 1024;

/**
 * Reads an existing export. Undefined: the file is missing or empty. Errors: `ledger_file_foreign` if it is not a whole
 * export of a ledger, those of files.
 */
export async function readKnownExport(path: string): Promise<KnownExport | undefined> {
  const found = await stat(path).catch((error: unknown) =>
    hasErrorCode(error, 'ENOENT') ? undefined : throwFileError('read', path)(error),
  );
  if (found === undefined || (found.isFile() && found.size === 0)) return undefined;
  if (!found.isFile()) throw foreign(path, 'it is no file');
  const { size: sizeBytes } = found;
  let groups = 0;
  let first: ExportedGroup | undefined;
  let lastLine = '';
  const stream = createReadStream(path, { encoding: 'utf8' });
  let end = '';
  stream.on('data', (piece) => {
    end = String(piece).slice(-1);
  });
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      if (line.length > MAX_LINE) throw foreign(path, `its line ${groups + 1} is longer than any of an export`);
      first ??= readGroup(line);
      if (first === undefined) throw foreign(path, 'its first line is no group of a ledger');
      groups++;
      lastLine = line;
    }
  } catch (error) {
    if (isAppError(error)) throw error;
    return throwFileError('read', path)(error);
  } finally {
    stream.destroy();
  }
  const last = readGroup(lastLine);
  if (first === undefined || last === undefined || end !== '\n')
    throw foreign(path, `its last line, ${groups}, is not whole`);
  return { sizeBytes, groups, first, last };
}

/** A file that is not ours is never written over. */
function foreign(path: string, why: string): AppError {
  const message = `${path} is there already and is no export of a ledger: ${why}. Nothing was written; choose another name.`;
  return new AppError('ledger_file_foreign', message, { path });
}
