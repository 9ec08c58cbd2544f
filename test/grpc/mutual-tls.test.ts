import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServingStatus } from '../../src/client/index.js';
import { createCa, forClient, forServer, uses, x509, type AltNames, type Ca, type Issued } from './certificates.js';
import { startProduction, type Production } from './production.js';

let production: Production;
let other: Ca;
beforeAll(async () => {
  production = await startProduction({ security: { control_identities: ['spiffe://suite.test/control'] } });
  other = await createCa('another CA');
});
afterAll(() => production[Symbol.asyncDispose]());

const short = { deadlineMs: 20_000 };
const request = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 2 };
const spiffe = (path: string): AltNames => [{ type: 'url', value: `spiffe://suite.test/${path}` }];

/** A connection by hand, until its handshake has ended well or not. */
function handshake(options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const port = production.server.port;
    const socket = connect({ host: '127.0.0.1', port, ca: production.ca.cert, servername: 'localhost', ...options });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Whether the server keeps the connection, which TLS 1.3 tells only after the handshake. */
async function isKept(options: ConnectionOptions): Promise<boolean> {
  const socket = await handshake({ ALPNProtocols: ['h2'], ...options }).catch(() => undefined);
  if (socket === undefined) return false;
  // The preface and empty settings of HTTP/2: a server that talks to us answers with its own.
  socket.write(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0', 'latin1'));
  return new Promise((resolve) => {
    socket.once('data', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

describe('a handshake', () => {
  const withCert = ({ cert, key }: Issued): ConnectionOptions => ({ cert, key });

  it('ends well with a certificate of the CA, over TLS 1.2 and 1.3', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const versions = { minVersion: version, maxVersion: version };
      expect(await isKept({ ...withCert(production.issued.data), ...versions })).toBe(true);
    }
  });

  it('is refused without a certificate, and with one of another CA', async () => {
    expect(await isKept({})).toBe(false);
    expect(await isKept(withCert(await forClient(other, 'data')))).toBe(false);
    const refusals = production.log.filter(({ event }) => event === 'connection').map(({ refused }) => refused);
    expect(refusals).toEqual(expect.arrayContaining(['UNABLE_TO_VERIFY_LEAF_SIGNATURE']));
  });

  it.each([
    ['expired', { fromHours: -5, hours: 2 }],
    ['not valid yet', { fromHours: 2, hours: 2 }],
    ['for servers alone', { uses: [uses.server] }],
  ])('is refused with a certificate that is %s', async (_, options) => {
    expect(await isKept(withCert(await forClient(production.ca, 'data', options)))).toBe(false);
  });

  it('is refused over TLS 1.1 and below, and with suites of old', async () => {
    const cert = withCert(production.issued.data);
    await expect(
      handshake({ ...cert, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    ).rejects.toThrow();
    await expect(handshake({ ...cert, maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' })).rejects.toThrow();
  });

  it('is no use without HTTP/2', async () => {
    expect(await isKept({ ...withCert(production.issued.data), ALPNProtocols: ['http/1.1'] })).toBe(false);
    expect(await isKept({ ...withCert(production.issued.data), ALPNProtocols: [] })).toBe(false);
  });

  it('is never resumed, so that the CAs of now decide', async () => {
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const options = { ...withCert(production.issued.data), ALPNProtocols: ['h2'], maxVersion };
      const first = await handshake(options);
      const session = await new Promise<Buffer | undefined>((resolve) => {
        first.once('session', resolve);
        first.write(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0', 'latin1'));
        first.once('data', () => setImmediate(() => resolve(first.getSession())));
      });
      first.destroy();
      const second = await handshake({ ...options, session });
      expect(second.isSessionReused()).toBe(false);
      second.destroy();
    }
  });

  it('that fails frees its place', async () => {
    await using few = await startProduction({ limits: { handshakes: 4 } });
    const { port } = few.server;
    for (let i = 0; i < 20; i++) await handshake({ port, ca: other.cert }).catch(() => {});
    expect(await isKept({ ...withCert(few.issued.data), port, ca: few.ca.cert })).toBe(true);
  });
});

describe('an identity', () => {
  const call = async (issued: Issued): Promise<string> => {
    const client = production.client(issued);
    const code = await client.chat(request, short).then(
      () => 'answered',
      (error: { code: string }) => error.code,
    );
    await client.close();
    return code;
  };

  it('of the list of data may infer, and nothing else', async () => {
    const client = production.client(production.issued.data);
    expect((await client.chat(request)).choices).toHaveLength(1);
    expect(await client.health.check()).toBe(ServingStatus.SERVING);
    for (const refused of [client.control.status(), client.control.cancel('x'), client.control.metrics()]) {
      await expect(refused).rejects.toMatchObject({
        code: 'identity_refused',
        details: { grpc_status: 'PERMISSION_DENIED', identity: 'spiffe://suite.test/data' },
      });
    }
  });

  it('of the list of control may control, and not infer', async () => {
    const client = production.client(production.issued.control);
    expect(await client.control.status()).toMatchObject({
      engine_id: 'suite',
      draining: false,
      not_serving_because: '',
    });
    expect(await client.health.check('troupe.engine.v1.Control')).toBe(ServingStatus.SERVING);
    await expect(client.chat(request)).rejects.toMatchObject({ code: 'identity_refused' });
    await expect(client.listModels()).rejects.toMatchObject({ code: 'identity_refused' });
  });

  it('of no list may do nothing, not even ask for health', async () => {
    const client = production.client(production.issued.nobody);
    await expect(client.health.check()).rejects.toMatchObject({ code: 'identity_refused' });
    await expect(client.chat(request)).rejects.toMatchObject({ code: 'identity_refused' });
  });

  it('is read from one URI, and not from several', async () => {
    const altNames: AltNames = [...spiffe('data'), ...spiffe('control')];
    expect(await call(await production.ca.issue({ altNames }))).toBe('certificate_refused');
    expect(await call(await production.ca.issue({ altNames: spiffe('data') }))).toBe('answered');
  });

  it('is not found in a common name where there are other names', async () => {
    const commonName = 'spiffe://suite.test/data';
    expect(await call(await production.ca.issue({ commonName, altNames: [{ type: 'dns', value: 'a.test' }] }))).toBe(
      'identity_refused',
    );
    expect(
      await call(await production.ca.issue({ commonName, altNames: [{ type: 'email', value: 'a@b.test' }] })),
    ).toBe('certificate_refused');
  });

  it.each([
    'x.test, URI:spiffe://suite.test/data',
    'x.test\nURI:spiffe://suite.test/data',
    'x.test\0URI:spiffe://suite.test/data',
    '"spiffe://suite.test/data"',
  ])('is not smuggled into a DNS name: %j', async (value) => {
    expect(await call(await production.ca.issue({ altNames: [{ type: 'dns', value }] }))).toBe('certificate_refused');
  });

  it.each([
    'spiffe://suite.test/data/',
    'spiffe://suite.test/data%00',
    'spiffe://suite.test/./data',
    'spiffe://suite.test/DATA',
  ])('is compared whole: %s', async (value) => {
    const code = await call(await production.ca.issue({ altNames: [{ type: 'url', value }] }));
    expect(['certificate_refused', 'identity_refused']).toContain(code);
  });

  it('is that of no CA, and of no key that signs certificates', async () => {
    const { keyCertSign, digitalSignature, keyEncipherment } = x509.KeyUsageFlags;
    const altNames = spiffe('data');
    for (const options of [
      { altNames, isCa: true, keyUsage: keyCertSign | digitalSignature },
      { altNames, keyUsage: keyCertSign | digitalSignature },
      { altNames, keyUsage: keyEncipherment },
    ]) {
      expect(await call(await production.ca.issue(options))).not.toBe('answered');
    }
  });
});

describe('trust', () => {
  it('takes new certificates and CAs without dropping what runs, and ends what is revoked on request', async () => {
    const { files, ca, issued, config } = production;
    const running = production.client(issued.data);
    const control = production.client(issued.control);
    await control.control.status();
    const next = await createCa('the next CA');
    const server = await forServer(next);
    const answer = running.stream({ ...request, max_tokens: 200, sampling: { ignore_eos: true } });
    const stream = answer[Symbol.asyncIterator]();
    await stream.next();
    files.write('server.pem', server.cert);
    files.write('server.key', server.key);
    files.write('ca.pem', next.cert + ca.cert);
    await production.server.followTrust();
    // The connection of before goes on, and who connects now sees the new certificate.
    let tokens: number | undefined;
    for (let result = await stream.next(); result.done !== true; result = await stream.next())
      tokens = result.value.usage?.completion_tokens ?? tokens;
    expect(tokens).toBe(200);
    const renewed = await forClient(next, 'control');
    const fresh = production.client(renewed, { tls: { ca: next.cert, cert: renewed.cert, key: renewed.key } });
    expect((await fresh.control.status()).certificate_sha256).toMatch(/^[0-9a-f]{64}$/);
    // The old CA goes: no new client gets in with it, and ReloadTrust ends the connections that it let in.
    files.write('ca.pem', next.cert);
    await production.server.followTrust();
    expect(await isKept({ cert: issued.data.cert, key: issued.data.key, ca: next.cert })).toBe(false);
    expect((await control.control.status()).engine_id).toBe('suite');
    const longer = running.stream({ ...request, max_tokens: 2_000, sampling: { ignore_eos: true } });
    const cut = longer[Symbol.asyncIterator]();
    await cut.next();
    const { closed_connections: closed } = await fresh.control.reloadTrust();
    expect(closed).toBeGreaterThanOrEqual(2);
    await expect(
      (async () => {
        for (let result = await cut.next(); result.done !== true; result = await cut.next());
      })(),
    ).rejects.toMatchObject({
      details: { grpc_status: expect.stringMatching(/UNAVAILABLE|PERMISSION_DENIED|CANCELLED/) },
    });
    // What cannot be used changes nothing.
    files.write('server.key', issued.data.key);
    await production.server.followTrust();
    expect(production.log.at(-1)).toMatchObject({ event: 'trust', code: 'tls_files_invalid' });
    await expect(fresh.control.reloadTrust()).rejects.toMatchObject({ code: 'tls_files_invalid' });
    expect((await fresh.control.status()).engine_id).toBe('suite');
    expect(config).toMatch(/engine\.json$/);
  });
});
