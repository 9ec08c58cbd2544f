/** Reads the server's certificate and key and its clients' CAs from files. Refuses files that could not work. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { open } from 'node:fs/promises';
import { AppError, codeOf, isError } from '../../base/index.js';

/** The paths of the files, and their fields in the configuration. */
export interface TlsPaths {
  readonly cert: TlsPath;
  readonly key: TlsPath;
  /** Absent: the server does not request client certificates. */
  readonly clientCa?: TlsPath | undefined;
}

/** A file of a configuration. */
export interface TlsPath {
  readonly field: string;
  readonly path: string;
}

/** The content of valid files that fit each other. */
export interface TlsMaterial {
  /** The certificate followed by its intermediate certificates, PEM. */
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly clientCa: Buffer | undefined;
  readonly clientCas: readonly X509Certificate[];
  /** SHA-256 of the certificate's DER, hex. */
  readonly sha256: string;
  /** Expiry of the certificate, milliseconds since 1970. */
  readonly expiresMs: number;
}

/** Bundles of CAs have some hundred KB. */
const MAX_FILE_BYTES = 1 << 20;
const MAX_CERTIFICATES = 500;
/** Shorter keys are broken or soon will be. Source: NIST SP 800-57, part 1, table 2. */
const MIN_RSA_BITS = 2_048;
const MIN_EC_BITS = 256;
const OTHERS = 0o007;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/**
 * Reads and checks the files. `nowMs`: milliseconds since 1970. Errors: `tls_files_invalid`, which names field, path
 * and reason but no content of a file.
 */
export async function readTlsMaterial(paths: TlsPaths, nowMs: number): Promise<TlsMaterial> {
  const cert = await readSmall(paths.cert);
  const [leaf] = readCertificates(paths.cert, cert);
  checkTime(paths.cert, leaf, nowMs);
  checkStrength(paths.cert, leaf);
  const key = await readSmall(paths.key, (mode) => {
    if (process.platform === 'win32' || (mode & OTHERS) === 0) return;
    throw invalid(
      paths.key,
      `other users of this machine may use it (mode ${(mode & 0o777).toString(8)}); run chmod o-rwx on it, and replace it if it was copied`,
    );
  });
  if (!leaf.checkPrivateKey(readKey(paths.key, key))) {
    throw invalid(paths.key, `it is not the private key of the certificate in ${paths.cert.path}`);
  }
  const clientCa = paths.clientCa && (await readSmall(paths.clientCa));
  const clientCas = paths.clientCa && clientCa ? readCertificates(paths.clientCa, clientCa) : [];
  for (const ca of clientCas) {
    if (paths.clientCa && !ca.ca)
      throw invalid(paths.clientCa, `it has the certificate of ${nameOf(ca)}, which is no CA`);
  }
  const [firstCa] = clientCas;
  if (paths.clientCa && firstCa && clientCas.every((ca) => Date.parse(ca.validTo) <= nowMs))
    checkTime(paths.clientCa, firstCa, nowMs);
  const expiresMs = Date.parse(leaf.validTo);
  return { cert, key, clientCa, clientCas, sha256: leaf.fingerprint256.replaceAll(':', '').toLowerCase(), expiresMs };
}

/** Reads a small file. `checkMode` checks the permissions of the opened file. Errors: `tls_files_invalid`. */
async function readSmall(from: TlsPath, checkMode: (mode: number) => void = () => {}): Promise<Buffer> {
  try {
    await using file = await open(from.path, 'r');
    const found = await file.stat();
    if (!found.isFile()) throw invalid(from, 'it is no file');
    if (found.size > MAX_FILE_BYTES) throw invalid(from, `it has ${found.size} bytes; the limit is ${MAX_FILE_BYTES}`);
    checkMode(found.mode);
    return await file.readFile();
  } catch (error) {
    const why = REASONS.get(codeOf(error) ?? '');
    if (why === undefined) throw error;
    throw invalid(from, why);
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['ENOTDIR', 'there is no such file'],
  ['EACCES', 'this user may not read it'],
  ['EPERM', 'this user may not read it'],
  ['ELOOP', 'it is a link that leads to itself'],
  ['EISDIR', 'it is no file'],
]);

function readCertificates(from: TlsPath, bytes: Buffer): readonly [X509Certificate, ...X509Certificate[]] {
  const blocks = bytes.toString('latin1').match(PEM_CERTIFICATE) ?? [];
  if (blocks.length > MAX_CERTIFICATES) {
    throw invalid(from, `it has ${blocks.length} certificates; the limit is ${MAX_CERTIFICATES}`);
  }
  const certificates = blocks.map((block, at) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw invalid(from, `its certificate number ${at + 1} cannot be read`);
    }
  });
  const [first, ...rest] = certificates;
  if (first === undefined) throw invalid(from, 'it has no certificate in PEM (-----BEGIN CERTIFICATE-----)');
  return [first, ...rest];
}

function readKey(from: TlsPath, bytes: Buffer): KeyObject {
  try {
    return createPrivateKey(bytes);
  } catch (error) {
    const isEncrypted = isError(error) && /passphrase|password|encrypt/i.test(error.message);
    throw invalid(
      from,
      isEncrypted
        ? 'it is encrypted; no person types its password when a server starts, so store it in the clear with mode 600'
        : 'it has no private key in PEM',
    );
  }
}

function checkTime(from: TlsPath, certificate: X509Certificate, nowMs: number): void {
  const { validFrom, validTo } = certificate;
  if (Date.parse(validTo) <= nowMs) {
    throw invalid(from, `its certificate expired on ${new Date(validTo).toISOString()}; issue a new one`);
  }
  if (Date.parse(validFrom) > nowMs) {
    throw invalid(
      from,
      `its certificate is not valid before ${new Date(validFrom).toISOString()}; is the clock right?`,
    );
  }
}

function checkStrength(from: TlsPath, { publicKey }: X509Certificate): void {
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength, namedCurve } = {} } = publicKey;
  if (modulusLength !== undefined && modulusLength < MIN_RSA_BITS) {
    throw invalid(from, `its key has ${modulusLength} bits of RSA; at least ${MIN_RSA_BITS} are needed`);
  }
  const curveBits = Number(/\d{3}/.exec(namedCurve ?? '')?.[0] ?? MIN_EC_BITS);
  if (type === 'ec' && curveBits < MIN_EC_BITS) {
    throw invalid(from, `its key is on the curve ${namedCurve}; at least ${MIN_EC_BITS} bits are needed`);
  }
}

function nameOf({ subject }: X509Certificate): string {
  return subject === '' ? 'no name' : subject.replaceAll('\n', ', ').slice(0, 100);
}

function invalid({ field, path }: TlsPath, why: string): AppError {
  return new AppError('tls_files_invalid', `${field} is ${path}: ${why}`, { field, path });
}
