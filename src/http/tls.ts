import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { invalidValue } from '../base/index.js';

/**
 * The certificate and key of a listener for TLS 1.2 and 1.3. Files, since uWebSockets.js reads them itself; they are read when
 * the listener starts.
 */
export interface TlsOptions {
  /** Path of the certificate in PEM, followed by those between it and its root. */
  readonly certFile: string;
  /** Path of its private key in PEM. */
  readonly keyFile: string;
  /** Of a key that is encrypted. */
  readonly passphrase?: string;
}

/** The files' contents. */
export interface TlsContents {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly passphrase?: string;
}

/** Reads the files and sees that they fit. Errors: `invalid_value`, which names a path and never the content of the file. */
export async function readTls({ certFile, keyFile, passphrase }: TlsOptions): Promise<TlsContents> {
  const [cert, key] = await Promise.all([read('tls.certFile', certFile), read('tls.keyFile', keyFile)]);
  const contents = { cert, key, ...(passphrase !== undefined && { passphrase }) };
  try {
    createSecureContext(contents);
  } catch {
    throw invalidValue('tls.keyFile', keyFile, `the private key in PEM of the certificate in ${certFile}`);
  }
  return contents;
}

async function read(option: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch {
    throw invalidValue(option, path, 'a file that can be read');
  }
}
