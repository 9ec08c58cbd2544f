import { X509Certificate } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/index.js';
import { createAccessList } from '../../src/grpc/index.js';
import { readCertificateFacts } from '../../src/grpc/identity/certificate-facts.js';
import { readDer } from '../../src/grpc/identity/der-reader.js';
import { readIdentity, type Identity } from '../../src/grpc/identity/identity.js';
import { createCa, uses, x509, type AltNames, type Ca, type LeafOptions } from './certificates.js';

let ca: Ca;
beforeAll(async () => {
  ca = await createCa();
});

const der = async (options: LeafOptions): Promise<Buffer> => Buffer.from((await ca.issue(options)).certificate.rawData);
const identityOf = async (options: LeafOptions): Promise<Identity> => readIdentity(await der(options));
const url = (value: string): AltNames => [{ type: 'url', value }];
const dns = (...names: string[]): AltNames => names.map((value) => ({ type: 'dns', value }));

describe('an identity', () => {
  it('is a URI before DNS names, DNS names before a common name', async () => {
    const commonName = 'somebody';
    const all = [...dns('a.test', 'B.Test'), ...url('spiffe://One.test/svc')];
    expect((await identityOf({ commonName, altNames: all })).names).toEqual([
      { kind: 'uri', value: 'spiffe://one.test/svc' },
    ]);
    expect((await identityOf({ commonName, altNames: dns('a.test', 'B.Test') })).names).toEqual([
      { kind: 'dns', value: 'a.test' },
      { kind: 'dns', value: 'b.test' },
    ]);
    expect((await identityOf({ commonName })).names).toEqual([{ kind: 'cn', value: 'somebody' }]);
  });

  it.each<[string, LeafOptions]>([
    ['two URIs', { altNames: [...url('spiffe://a.test/x'), ...url('spiffe://a.test/y')] }],
    ['the same URI twice', { altNames: [...url('spiffe://a.test/x'), ...url('spiffe://a.test/x')] }],
    ['a pattern as its DNS name', { altNames: dns('*.a.test') }],
    ['no name at all', { altNames: [{ type: 'ip', value: '10.0.0.1' }], commonName: 'hidden' }],
    ['an empty subject and no other name', {}],
    ['a trust domain with a port', { altNames: url('spiffe://a.test:80/x') }],
    ['a path with an empty segment', { altNames: url('spiffe://a.test//x') }],
    ['a URI of 3,000 bytes', { altNames: url(`spiffe://a.test/${'x'.repeat(3_000)}`) }],
    ['the use of a server alone', { altNames: dns('a.test'), uses: [uses.server] }],
  ])('is none of a certificate with %s', async (_, options) => {
    await expect(identityOf(options)).rejects.toMatchObject({ code: 'certificate_refused' });
  });

  it('is the same that OpenSSL reads', async () => {
    const altNames = [
      ...dns('one.test', 'two.test'),
      ...url('spiffe://a.test/b'),
      { type: 'email', value: 'x@y.test' } as const,
    ];
    const bytes = await der({ commonName: 'c', altNames });
    const facts = readCertificateFacts(bytes);
    const known = new X509Certificate(bytes);
    expect(known.subjectAltName).toBe('DNS:one.test, DNS:two.test, URI:spiffe://a.test/b, email:x@y.test');
    expect(facts.altNames?.map(({ kind, value }) => `${kind} ${value}`)).toEqual([
      'dns one.test',
      'dns two.test',
      'uri spiffe://a.test/b',
      'other ',
    ]);
    expect({ ca: facts.isCa, cn: facts.commonNames, eku: facts.extendedKeyUsage }).toEqual({
      ca: known.ca,
      cn: ['c'],
      eku: known.keyUsage,
    });
    expect(facts.keyUsage).toEqual({ signs: true, signsCertificates: false, signsLists: false });
    expect(readCertificateFacts(Buffer.from(ca.certificate.rawData))).toMatchObject({
      isCa: true,
      keyUsage: { signsCertificates: true },
    });
  });

  it('is refused by a code, whatever the bytes are', async () => {
    const bytes = await der({ altNames: url('spiffe://a.test/b') });
    const isSafe = (changed: Buffer): boolean => {
      try {
        return readIdentity(changed).names.length > 0;
      } catch (error) {
        return isAppError(error) && error.code === 'certificate_refused';
      }
    };
    for (let at = 0; at < bytes.length; at++) expect(isSafe(bytes.subarray(0, at))).toBe(true);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
        const changed = Buffer.from(bytes);
        changed[at] = value;
        return isSafe(changed);
      }),
      { numRuns: 3_000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (random) => isSafe(Buffer.from(random))),
      { numRuns: 2_000 },
    );
  });

  it('has an extension once', async () => {
    const again = new x509.SubjectAlternativeNameExtension(url('spiffe://a.test/other'));
    await expect(identityOf({ altNames: url('spiffe://a.test/b'), extensions: [again] })).rejects.toMatchObject({
      code: 'certificate_refused',
    });
  });
});

describe('DER', () => {
  it.each([
    ['an indefinite length', [0x30, 0x80, 0, 0]],
    ['a length that is not the shortest', [0x04, 0x81, 0x01, 0xff]],
    ['an element beyond its end', [0x04, 0x05, 0]],
    ['a tag of several octets', [0x1f, 0x81, 0x01, 0]],
  ])('with %s is refused', (_, bytes) => {
    expect(() => readDer(Buffer.from(bytes))).toThrow();
  });
});

describe('an access list', () => {
  const lists = createAccessList({
    control: ['spiffe://A.test/control', 'dns:Admin.test'],
    data: ['a.test', 'cn:somebody', 'spiffe://a.test/data'],
  });
  const rolesOf = (kind: 'uri' | 'dns' | 'cn', value: string): string[] => [
    ...lists.rolesOf({ label: value, names: [{ kind, value }] }),
  ];

  it('compares whole names of the kind that it names, or of any', () => {
    expect(rolesOf('uri', 'spiffe://a.test/control')).toEqual(['control']);
    expect(rolesOf('uri', 'spiffe://a.test/data')).toEqual(['data']);
    expect(rolesOf('uri', 'spiffe://a.test/data2')).toEqual([]);
    expect(rolesOf('dns', 'admin.test')).toEqual(['control']);
    expect(rolesOf('cn', 'admin.test')).toEqual([]);
    expect(rolesOf('dns', 'a.test')).toEqual(['data']);
    expect(rolesOf('cn', 'a.test')).toEqual(['data']);
    expect(rolesOf('cn', 'somebody')).toEqual(['data']);
    expect(rolesOf('dns', 'somebody')).toEqual([]);
  });
});
