import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAppError, toErrorData } from '../../src/base/index.js';
import { judges } from '../../src/bin/native-engine/serving/serve-config.js';
import { parseEngineConfig } from '../../src/server/config/parse-engine-config.js';

const parse = (value: unknown) =>
  parseEngineConfig(
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value, null, 2)),
    '/etc/engine/engine.json',
    judges.parseKeys,
  );
const messageOf = (value: unknown): Promise<string> =>
  parse(value).then(String, (error: unknown) => toErrorData(error).message);

describe('engine.json', () => {
  it('has defaults that are closed, and paths relative to itself', async () => {
    expect(await parse({ model: { artifact_path: '../models/m' } })).toEqual({
      engine: { id: 'native-engine', listenAddress: '127.0.0.1', grpcPort: 19_443, logLevel: 'info' },
      security: {
        mtlsRequired: true,
        serverCertPath: undefined,
        serverKeyPath: undefined,
        clientCaPath: undefined,
        controlIdentities: [],
        dataIdentities: [],
        trustedSigningKeys: [],
        allowUnsignedDev: false,
      },
      model: { artifactPath: '/etc/models/m' },
      hardware: { backend: 'auto', deviceId: 0 },
    });
    const { security } = await parse({
      security: { server_cert_path: 'tls/a.pem', server_key_path: '/k.pem' },
      model: { artifact_path: 'm' },
    });
    expect([security.serverCertPath, security.serverKeyPath]).toEqual(['/etc/engine/tls/a.pem', '/k.pem']);
  });

  it('takes the sample of the specification', async () => {
    const sample = {
      engine: { id: 'engine-01', listen_address: '0.0.0.0', grpc_port: 19443, log_level: 'info' },
      security: {
        mtls_required: true,
        server_cert_path: 'server.crt',
        server_key_path: 'server.key',
        client_ca_path: 'ca.crt',
        control_identities: ['spiffe://example.org/control', 'dns:admin.example.org', 'cn:operator'],
        data_identities: ['gateway.example.org'],
        trusted_signing_keys: ['d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'],
        allow_unsigned_dev: false,
      },
      model: { artifact_path: 'models/m' },
      hardware: { backend: 'cpu', device_id: 0 },
    };
    expect((await parse(sample)).engine.id).toBe('engine-01');
  });

  it('refuses what it does not know, with the line and the nearest name, all at once', async () => {
    const text = `{
  "engine": { "id": "a b", "grpc_prot": 1 },
  "securty": {},
  "security": {
    "mtls_required": "yes",
    "control_identities": ["spiffe://ok.test/a", 7]
  },
  "model": { }
}`;
    expect((await messageOf(text)).split('\n')).toEqual([
      '/etc/engine/engine.json cannot be used: 6 mistakes',
      '/etc/engine/engine.json:2:21: engine.id is a string of 3 characters; it must be a string that matches ^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
      '/etc/engine/engine.json:2:28: engine.grpc_prot is no field of engine.json. Did you mean grpc_port?',
      '/etc/engine/engine.json:3:3: securty is no field of engine.json. Did you mean security?',
      '/etc/engine/engine.json:5:22: security.mtls_required is "yes"; it must be true or false',
      '/etc/engine/engine.json:6:50: security.control_identities[1] is 7; it must be a string of 1 to 2048 characters',
      '/etc/engine/engine.json:8:3: model.artifact_path is missing; it is needed',
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    ['a port', { engine: { grpc_port: 65_536 } }, /grpc_port is 65536; it must be a whole number from 0 to 65535/],
    ['a half port', { engine: { grpc_port: 1.5 } }, /grpc_port is 1.5/],
    ['a level', { engine: { log_level: 'loud' } }, /log_level is "loud"; it must be one of debug, info, warn, error/],
    [
      'an identity',
      { security: { data_identities: ['spiffe://'] } },
      /:7:7: security.data_identities\[0\] is a string of 9 characters, which is no identity; write spiffe:/,
    ],
    ['an identity with a blank', { security: { data_identities: ['dns:a.test '] } }, /which is no identity/],
    ['a key', { security: { trusted_signing_keys: ['00'] } }, /trusted_signing_keys\[0\]/],
    ['a key of zeros', { security: { trusted_signing_keys: ['0'.repeat(64)] } }, /trusted_signing_keys\[0\]/],
    ['a backend', { hardware: { backend: 'abacus' } }, /hardware.backend is "abacus"/],
    ['a device', { hardware: { backend: 'cpu', device_id: 2 } }, /device_id is 2, but the backend cpu has one device/],
  ])('refuses %s that cannot be', async (_, part, message) => {
    expect(await messageOf({ model: { artifact_path: 'm' }, ...(part as object) })).toMatch(message);
  });

  it.each([
    ['no JSON', '{ "model": ', /engine.json:1:12: the file is not JSON/],
    ['a key twice', '{"model": {"artifact_path": "a"},\n "model": {"artifact_path": "b"}}', /the file repeats a key/],
    ['a list', '[]', /the file is .*; it must be an object with engine, security, model, hardware/],
    ['a prototype', '{"model": {"artifact_path": "a"}, "__proto__": {}}', /__proto__/],
  ])('refuses %s', async (_, text, message) => {
    expect(await messageOf(text)).toMatch(message);
  });

  it('refuses or takes any JSON, and never fails otherwise', async () => {
    const fields = fc.record(
      {
        engine: fc.oneof(fc.jsonValue(), fc.record({ id: fc.jsonValue(), grpc_port: fc.jsonValue() })),
        security: fc.oneof(
          fc.jsonValue(),
          fc.record({ control_identities: fc.jsonValue(), mtls_required: fc.jsonValue() }),
        ),
        model: fc.oneof(fc.jsonValue(), fc.record({ artifact_path: fc.jsonValue() })),
        hardware: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fields, async (value) => {
        const error: unknown = await parse(value).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error === undefined || (isAppError(error) && error.code === 'engine_config_invalid')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
