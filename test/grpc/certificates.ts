// Certificates that suites make for themselves: a CA, and leaves with whatever names and uses a case needs.
import type * as X509 from '@peculiar/x509';
import { webcrypto } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// It wants its polyfill to be there first.
await import('reflect-metadata');
export const x509 = await import('@peculiar/x509');
export type AltNames = X509.JsonGeneralNames;
x509.cryptoProvider.set(webcrypto as never);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const HOUR_MS = 3_600_000;

/** A certificate with its key, as files have them. */
export interface Issued {
  readonly cert: string;
  readonly key: string;
  readonly certificate: X509.X509Certificate;
  readonly keys: webcrypto.CryptoKeyPair;
}

/** What a leaf is to say. */
export interface LeafOptions {
  readonly commonName?: string;
  /** In their order; undefined: no subjectAltName at all. */
  readonly altNames?: AltNames;
  readonly uses?: readonly string[];
  readonly keyUsage?: number;
  readonly isCa?: boolean;
  /** From now on, in hours. */
  readonly fromHours?: number;
  readonly hours?: number;
  /** More extensions, as they are. */
  readonly extensions?: readonly X509.Extension[];
}

/** A CA that signs whatever it is asked to. */
export interface Ca extends Issued {
  issue(options: LeafOptions): Promise<Issued>;
}

export const uses = { client: '1.3.6.1.5.5.7.3.2', server: '1.3.6.1.5.5.7.3.1' } as const;

let serial = 1;

/** A new root. */
export async function createCa(name = 'CA of a suite'): Promise<Ca> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: ALGORITHM,
    serialNumber: nextSerial(),
    notBefore: new Date(Date.now() - HOUR_MS),
    notAfter: new Date(Date.now() + 24 * HOUR_MS),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const issued = await toIssued(certificate, keys);
  return { ...issued, issue: (options) => issue(issued, options) };
}

async function issue(ca: Issued, options: LeafOptions): Promise<Issued> {
  const keys = await generateKeys();
  const { commonName = '', altNames, isCa = false, fromHours = -1, hours = 24 } = options;
  const { uses: extended = [uses.client], keyUsage = x509.KeyUsageFlags.digitalSignature } = options;
  const certificate = await x509.X509CertificateGenerator.create({
    subject: commonName === '' ? '' : `CN=${commonName}`,
    issuer: ca.certificate.subject,
    signingKey: ca.keys.privateKey,
    publicKey: keys.publicKey,
    signingAlgorithm: ALGORITHM,
    serialNumber: nextSerial(),
    notBefore: new Date(Date.now() + fromHours * HOUR_MS),
    notAfter: new Date(Date.now() + (fromHours + hours) * HOUR_MS),
    extensions: [
      new x509.BasicConstraintsExtension(isCa, undefined, true),
      new x509.KeyUsagesExtension(keyUsage, true),
      ...(extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension([...extended])]),
      ...(altNames === undefined ? [] : [new x509.SubjectAlternativeNameExtension(altNames)]),
      ...(options.extensions ?? []),
    ],
  });
  return toIssued(certificate, keys);
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function toIssued(certificate: X509.X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<Issued> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  const key = `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
  return { cert: `${certificate.toString('pem')}\n`, key, certificate, keys };
}

function nextSerial(): string {
  return (serial++).toString(16).padStart(4, '0');
}

/** A server's certificate for this machine. */
export function forServer(ca: Ca, options: LeafOptions = {}): Promise<Issued> {
  const altNames: AltNames = [
    { type: 'dns', value: 'localhost' },
    { type: 'ip', value: '127.0.0.1' },
  ];
  return ca.issue({ commonName: 'server', altNames, uses: [uses.server], ...options });
}

/** A client's certificate with a SPIFFE id. */
export function forClient(ca: Ca, path: string, options: LeafOptions = {}): Promise<Issued> {
  return ca.issue({ altNames: [{ type: 'url', value: `spiffe://suite.test/${path}` }], ...options });
}

/** A directory for files of a suite, which is removed with it. */
export function createFiles(): Disposable & {
  readonly directory: string;
  write(name: string, text: string, mode?: number): string;
} {
  const directory = mkdtempSync(join(tmpdir(), 'grpc-'));
  return {
    directory,
    write(name, text, mode = 0o600) {
      const path = join(directory, name);
      writeFileSync(path, text);
      chmodSync(path, mode);
      return path;
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}
