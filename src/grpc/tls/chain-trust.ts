import { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';

/** Longest chain that is kept; OpenSSL verifies no longer ones. */
const MAX_CHAIN = 10;

/** The certificates of a peer in DER, its own first. Empty where it brought none. */
export function peerChain(socket: TLSSocket): Buffer[] {
  const chain: Buffer[] = [];
  let at: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  // A root is issued by itself.
  while (at?.raw !== undefined && chain.length < MAX_CHAIN && !chain.some((known) => known.equals(at?.raw ?? known))) {
    chain.push(at.raw);
    at = at.issuerCertificate;
  }
  return chain;
}

/**
 * Whether a chain that was verified when its connection began still leads to one of `cas`, and is not expired. `nowMs`:
 * milliseconds since 1970. The chain itself is not verified again: its certificates have not changed.
 */
export function isChainTrusted(chain: readonly Buffer[], cas: readonly X509Certificate[], nowMs: number): boolean {
  const certificates = chain.map((der) => new X509Certificate(der));
  const [leaf] = certificates;
  if (leaf === undefined || Date.parse(leaf.validTo) <= nowMs) return false;
  return certificates.some((certificate) =>
    cas.some(
      (ca) =>
        ca.raw.equals(certificate.raw) ||
        (certificate.checkIssued(ca) && certificate.verify(ca.publicKey) && Date.parse(ca.validTo) > nowMs),
    ),
  );
}
