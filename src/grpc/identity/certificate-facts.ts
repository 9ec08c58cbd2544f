import { DER, readDer, readInside, readOid, type DerElement } from './der-reader.js';

/** A name of a subjectAltName extension. Kinds that no identity uses are `other`. */
export interface AltName {
  readonly kind: 'uri' | 'dns' | 'other';
  /** IA5 text, byte for byte; '' for other kinds. */
  readonly value: string;
}

/** The owner and the permitted use of a certificate, read from its DER. */
export interface CertificateFacts {
  /** In certificate order; undefined without the extension. */
  readonly altNames: readonly AltName[] | undefined;
  /** Common names of the subject, in certificate order. */
  readonly commonNames: readonly string[];
  readonly isCa: boolean;
  /** Undefined without the extension. */
  readonly keyUsage:
    | { readonly signs: boolean; readonly signsCertificates: boolean; readonly signsLists: boolean }
    | undefined;
  /** Object identifiers of extended uses; undefined without the extension. */
  readonly extendedKeyUsage: readonly string[] | undefined;
}

const OIDS = {
  commonName: '2.5.4.3',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
} as const;

/** The tags of fields in TBSCertificate and of names in GeneralName. Source: RFC 5280, 4.1 and 4.2.1.6. */
const EXTENSIONS = 0xa3;
const VERSION = 0xa0;
const DNS_NAME = 0x82;
const URI = 0x86;

/** String types of a common name, with their encodings. A value of another type does not count as a name. */
const TEXTS: ReadonlyMap<number, 'utf8' | 'latin1'> = new Map([
  [0x0c, 'utf8'],
  [0x13, 'latin1'],
  [0x16, 'latin1'],
  [0x14, 'latin1'],
]);

/** Reads a certificate in DER. Throws a plain error for invalid bytes. */
export function readCertificateFacts(der: Buffer): CertificateFacts {
  const [certificate, ...rest] = readDer(der);
  if (rest.length > 0) throw new Error('bytes behind the certificate');
  const body = readInside(readInside(certificate, DER.sequence)[0], DER.sequence);
  const fields = body[0]?.tag === VERSION ? body.slice(1) : body;
  // serialNumber, signature, issuer, validity, subject, …
  const subject = readInside(fields[4], DER.sequence);
  const wrapped = fields.find(({ tag }) => tag === EXTENSIONS);
  const extensions = wrapped === undefined ? new Map<string, Buffer>() : readExtensions(wrapped);
  return {
    altNames: readAltNames(extensions.get(OIDS.subjectAltName)),
    commonNames: subject.flatMap(readCommonNames),
    isCa: readIsCa(extensions.get(OIDS.basicConstraints)),
    keyUsage: readKeyUsage(extensions.get(OIDS.keyUsage)),
    extendedKeyUsage: readExtendedUsage(extensions.get(OIDS.extendedKeyUsage)),
  };
}

function readExtensions(wrapped: DerElement): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const extension of readInside(readInside(wrapped, EXTENSIONS)[0], DER.sequence)) {
    const parts = readInside(extension, DER.sequence);
    const [oid] = parts;
    const value = parts.at(-1);
    if (oid?.tag !== DER.oid || value?.tag !== DER.octetString) throw new Error('an extension without its value');
    const name = readOid(oid);
    // RFC 5280, 4.2: a certificate must not contain an extension twice. It does not define which one would count.
    if (found.has(name)) throw new Error(`the extension ${name} twice`);
    found.set(name, value.content);
  }
  return found;
}

function readAltNames(bytes: Buffer | undefined): AltName[] | undefined {
  if (bytes === undefined) return undefined;
  return readInside(readDer(bytes)[0], DER.sequence).map(({ tag, content }) => {
    if (tag !== URI && tag !== DNS_NAME) return { kind: 'other', value: '' };
    return { kind: tag === URI ? 'uri' : 'dns', value: content.toString('latin1') };
  });
}

/** Common names in one RelativeDistinguishedName. */
function readCommonNames(set: DerElement): string[] {
  return readInside(set, DER.set).flatMap((pair) => {
    const [oid, value] = readInside(pair, DER.sequence);
    if (oid?.tag !== DER.oid || value === undefined || readOid(oid) !== OIDS.commonName) return [];
    const encoding = TEXTS.get(value.tag);
    return encoding === undefined ? [] : [value.content.toString(encoding)];
  });
}

function readIsCa(bytes: Buffer | undefined): boolean {
  if (bytes === undefined) return false;
  const [first] = readInside(readDer(bytes)[0], DER.sequence);
  return first?.tag === DER.boolean && first.content[0] !== 0;
}

/** Bit 0 is digitalSignature, 5 keyCertSign, 6 cRLSign. Source: RFC 5280, 4.2.1.3. */
function readKeyUsage(bytes: Buffer | undefined): CertificateFacts['keyUsage'] {
  if (bytes === undefined) return undefined;
  const [bits] = readDer(bytes);
  if (bits?.tag !== DER.bitString) throw new Error('a key usage that is no bit string');
  // The first octet counts unused bits.
  const octet = bits.content[1] ?? 0;
  const has = (bit: number): boolean => (octet & (0x80 >> bit)) !== 0;
  return { signs: has(0), signsCertificates: has(5), signsLists: has(6) };
}

function readExtendedUsage(bytes: Buffer | undefined): string[] | undefined {
  if (bytes === undefined) return undefined;
  return readInside(readDer(bytes)[0], DER.sequence).map(readOid);
}
