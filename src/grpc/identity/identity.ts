/**
 * The identity in a verified client certificate. It is the URI, of which there must be exactly one; without a URI, the
 * DNS names; without a subjectAltName, the common name. Values are read from DER and compared whole, because the text
 * form of names can hide one name in another (CVE-2021-44531, 44532, 44533).
 */
import { AppError, describe } from '../../base/index.js';
import { readCertificateFacts, type CertificateFacts } from './certificate-facts.js';

/** One name of a certificate. An entry `spiffe://…` is a URI too. */
export interface IdentityName {
  readonly kind: 'uri' | 'dns' | 'cn';
  /** The normalized value: DNS names and trust domains are in lower case. */
  readonly value: string;
}

/** The identity of a caller. */
export interface Identity {
  /** For logs and limits: the first name in the notation of a configuration entry. */
  readonly label: string;
  /** A call is allowed if any of these names is allowed. */
  readonly names: readonly IdentityName[];
}

/** The identity of a connection without client certificates. */
export const ANONYMOUS: Identity = { label: 'anonymous', names: [] };

/** The longest names. Source: SPIFFE-ID, 2.3 (2,048 bytes, trust domains 255); DNS allows 253. */
const MAX_URI = 2_048;
const MAX_TRUST_DOMAIN = 255;
const MAX_DNS = 253;
const MAX_COMMON_NAME = 256;
/** More names than any certificate for one client has. */
const MAX_NAMES = 100;
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
/** Characters of printed and compared names: no blanks, control characters or characters beyond ASCII. */
const VISIBLE = /^[\x21-\x7e]+$/;
const SPIFFE = /^spiffe:\/\/([a-z0-9._-]+)(\/[A-Za-z0-9._/-]+)?$/;
const DNS_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Reads the identity of a certificate in DER. Errors: `certificate_refused`. */
export function readIdentity(der: Buffer): Identity {
  let facts: CertificateFacts;
  try {
    facts = readCertificateFacts(der);
  } catch {
    throw refused('cannot be read');
  }
  checkUsage(facts);
  const names = namesOf(facts);
  const [first] = names;
  if (first === undefined) throw refused('has neither a URI nor a DNS name; issue it with one of them');
  return { label: toIdentityText(first), names };
}

/** Writes a name in the notation of a configuration. */
export function toIdentityText({ kind, value }: IdentityName): string {
  return kind === 'uri' && value.startsWith('spiffe://') ? value : `${kind}:${value}`;
}

/** Normalizes a URI: scheme and trust domain of a SPIFFE id in lower case. Undefined: not a URI. */
export function toUri(value: string): string | undefined {
  if (!VISIBLE.test(value) || value.length > MAX_URI) return undefined;
  const spiffe = /^spiffe:\/\/([^/]*)(.*)$/is.exec(value);
  if (spiffe === null) return /^[A-Za-z][A-Za-z0-9+.-]*:./.test(value) ? value : undefined;
  const [, domain = '', path = ''] = spiffe;
  const id = `spiffe://${domain.toLowerCase()}${path}`;
  const isPlain = !path
    .split('/')
    .slice(1)
    .some((segment) => segment === '' || segment === '.' || segment === '..');
  return SPIFFE.test(id) && isPlain && domain.length <= MAX_TRUST_DOMAIN ? id : undefined;
}

/** Normalizes a DNS name. Undefined: not a DNS name, or a pattern. */
export function toDnsName(value: string): string | undefined {
  const name = value.toLowerCase();
  return name.length <= MAX_DNS && DNS_NAME.test(name) ? name : undefined;
}

/** Checks a common name. Undefined: it is empty, too long, or has control characters. */
export function toCommonName(value: string): string | undefined {
  const isPrintable = value.isWellFormed() && !/\p{Cc}/u.test(value);
  return isPrintable && value !== '' && value.length <= MAX_COMMON_NAME ? value : undefined;
}

function namesOf({ altNames, commonNames }: CertificateFacts): IdentityName[] {
  if (altNames === undefined) {
    const [commonName, ...others] = commonNames;
    if (others.length > 0)
      throw refused('has several common names and no subjectAltName; issue it with one URI or DNS name');
    if (commonName === undefined) return [];
    return [{ kind: 'cn', value: required(toCommonName(commonName), 'a common name', commonName) }];
  }
  if (altNames.length > MAX_NAMES) throw refused(`has ${altNames.length} names; the limit is ${MAX_NAMES}`);
  const uris = altNames.filter(({ kind }) => kind === 'uri');
  if (uris.length > 1) throw refused(`has ${uris.length} URIs in its subjectAltName; exactly one may say who it is`);
  const [uri] = uris;
  if (uri !== undefined) return [{ kind: 'uri', value: required(toUri(uri.value), 'a URI', uri.value) }];
  return altNames
    .filter(({ kind }) => kind === 'dns')
    .map(({ value }) => ({ kind: 'dns', value: required(toDnsName(value), 'a DNS name', value) }));
}

/** Requires a certificate that is not a CA's and whose key may sign handshakes. Source: SPIFFE X.509-SVID, 4. */
function checkUsage({ isCa, keyUsage, extendedKeyUsage }: CertificateFacts): void {
  if (isCa) throw refused('is that of a CA; a client needs one of its own');
  if (keyUsage?.signsCertificates === true || keyUsage?.signsLists === true) {
    throw refused('may sign certificates or revocation lists; a client certificate may not');
  }
  if (keyUsage?.signs === false) throw refused('lacks the key usage digitalSignature');
  if (extendedKeyUsage !== undefined && ![CLIENT_AUTH, ANY_USAGE].some((use) => extendedKeyUsage.includes(use))) {
    throw refused('lacks the extended key usage clientAuth');
  }
}

function required(name: string | undefined, what: string, value: string): string {
  if (name !== undefined) return name;
  throw refused(`has ${what} that none can be: ${describe(value)}`);
}

function refused(why: string): AppError {
  return new AppError('certificate_refused', `the client certificate ${why}`);
}
