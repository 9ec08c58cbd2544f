// What testssl.sh of Debian finds of the gRPC server's TLS (S10). Version 3.0 gives no grade; 3.2 does, and then it is A or better.
import { describe, expect, it } from 'vitest';
import { startServerProcess } from '../../grpc/server-process.js';
import { findTestssl, scan, type Finding } from './testssl.js';

const testssl = await findTestssl();
if ('reason' in testssl) process.stderr.write(`testssl.sh is not tried: ${testssl.reason}\n`);

/** What is above LOW, and is of the suite's certificates and not of the server: each with its reason. */
const explained = new Map([
  ['engine_problem', 'this openssl has no GOST, which the server does not offer'],
  ['cert_expirationStatus', 'the certificate of this suite is good for a day'],
  ['cert_notAfter', 'the same'],
  ['cert_revocation', 'the CA of this suite has no lists: revocation is by ReloadTrust'],
  ['cert_ocspRevoked', 'the same'],
  ['DNS_CAArecord', 'localhost has none'],
  ['overall_grade', 'is looked at by itself'],
]);

const checks = [
  'heartbleed',
  'CCS',
  'ROBOT',
  'secure_renego',
  'secure_client_renego',
  'CRIME_TLS',
  'SWEET32',
  'FREAK',
  'DROWN',
  'LOGJAM',
  'BEAST',
  'LUCKY13',
  'RC4',
  'PFS',
  'cert_chain_of_trust',
];

/** Where a client without a certificate gets no further, the tool skips some checks and reports that. */
const NOT_LOOKED = /client (x509-based )?authentication/;

function expectGood(findings: readonly Finding[], asksClients: boolean): void {
  const of = (id: string): string | undefined => findings.find((each) => each.id === id)?.finding;
  for (const old of ['SSLv2', 'SSLv3', 'TLS1', 'TLS1_1']) expect([old, of(old)]).toEqual([old, 'not offered']);
  expect([of('TLS1_2'), of('TLS1_3')]).toEqual([
    expect.stringContaining('offered') as string,
    expect.stringContaining('offered') as string,
  ]);
  expect(of('ALPN_HTTP2')).toBe('h2');
  const isUnseen = ({ severity, finding }: Finding): boolean =>
    asksClients && severity === 'WARN' && NOT_LOOKED.test(finding);
  const severe = findings.filter(
    (each) =>
      !['OK', 'INFO', 'LOW', 'DEBUG'].includes(each.severity) &&
      !explained.has(each.id.replace(/ .*/, '')) &&
      !isUnseen(each),
  );
  expect(severe).toEqual([]);
  // It has looked: a scan that came to nothing would find nothing.
  for (const id of checks) {
    const found = findings.find((each) => each.id === id);
    if (found === undefined || !isUnseen(found)) expect([id, found?.severity]).toEqual([id, 'OK']);
  }
  expect(of('overall_grade') ?? 'A').toMatch(/^A[+-]?$/);
}

describe.skipIf('reason' in testssl)('testssl.sh', () => {
  // What it cannot look at without a certificate is looked at where none is asked for: the rest of TLS is the same.
  it.each([
    ['without client certificates', false],
    ['with mutual TLS', true],
  ])('finds TLS 1.2 and 1.3 alone, no weak cipher and no vulnerability %s', async (_, asksClients) => {
    if ('reason' in testssl) return;
    await using server = await startServerProcess({ security: { mtls_required: asksClients } });
    expectGood(await scan(testssl, server.port, server.files.directory), asksClients);
  });
});
