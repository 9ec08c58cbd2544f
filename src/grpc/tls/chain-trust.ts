import { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';

/** The longest chain that is kept; OpenSSL verifies no longer chain. */
const MAX_CHAIN = 10;

/** The certificates of a peer in DER, its own first. Empty if it sent none. */
export function peerChain(socket: TLSSocket): Buffer[] {
  const chain: Buffer[] = [];
  let at: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  // A root certificate is its own issuer.
  while (at?.raw !== undefined && chain.length < MAX_CHAIN && !chain.some((known) => known.equals(at?.raw ?? known))) {
    chain.push(at.raw);
    at = at.issuerCertificate;
  }
  return chain;
}

/**
 * Whether a chain that was verified in its handshake still leads to one of `cas` and has not expired. `nowMs`:
 * milliseconds since 1970. The signatures in the chain are not verified again, because its certificates cannot change.
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
