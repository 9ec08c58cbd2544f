import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { replaceFile, throwFileError } from '../../base/index.js';

/** Its name in the data directory. */
export const OPERATOR_TOKEN_FILE = 'operator-token';
const MODE = 0o600;
/** 256 bits: too many to try. */
const TOKEN_BYTES = 32;

/** The token that the operator page asks for. Each start of a node makes a new one. */
export interface OperatorToken {
  /** The file of the token, which needs read access to the data directory. */
  readonly path: string;
  /** Whether a text is the token. Its time does not reveal how much of the text is right. */
  check(text: string | undefined): boolean;
}

/** Creates a token in a file that only the user of this process can read. Errors: those of files. */
export async function createOperatorToken(dataDir: string): Promise<OperatorToken> {
  const path = join(dataDir, OPERATOR_TOKEN_FILE);
  const token = `hop_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  await replaceFile(path, `${token}\n`, MODE).catch(throwFileError('write', path));
  const hash = digest(token);
  return { path, check: (text) => text !== undefined && timingSafeEqual(digest(text), hash) };
}

function digest(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
