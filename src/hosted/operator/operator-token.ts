import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { replaceFile, throwFileError } from '../../base/index.js';

/** Its name in the data directory. */
export const OPERATOR_TOKEN_FILE = 'operator-token';
const MODE = 0o600;
/** 256 bits: nobody tries them. */
const TOKEN_BYTES = 32;

/** What the operator page asks for. Each start of a node has another one. */
export interface OperatorToken {
  /** Where it can be read by whoever may read the data directory. */
  readonly path: string;
  /** Whether a text is it, in a time that does not tell how much of it is right. */
  check(text: string | undefined): boolean;
}

/** Makes a token and puts it into a file that nobody else can read. Errors: those of files. */
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
