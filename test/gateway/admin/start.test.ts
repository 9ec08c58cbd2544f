// Fail closed: with the admin page turned on, a gateway starts only with an admin token that can be trusted.
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from '../../../src/base/index.js';
import type { GatewaySetup } from '../../../src/gateway/index.js';
import { readAdminSetting } from '../../../src/bin/private-gateway/serve-gateway.js';
import { ADMIN_TOKEN_FILE, createKeySecret, openMeter } from '../../../src/metering/index.js';
import { entryOf, runCli } from '../../e2e/processes.js';
import { startGateway } from '../serving/start-gateway.js';
import { issueToken, startAdmin } from './start-admin.js';
import { makeHome } from '../../support/start-product.js';
import { freePort } from '../../support/free-port.js';

const OPTIONS = { log: () => {}, retention: { requestDays: 30, auditDays: 365 } };
let home: string;
let path: string;
let dataDir: string;
let file: string;

beforeEach(() => {
  home = makeHome();
  [path, dataDir] = [join(home, 'gateway.yaml'), join(home, 'data')];
  file = join(dataDir, ADMIN_TOKEN_FILE);
  writeFileSync(path, 'gateway_id: gw_a\nlisten: 127.0.0.1:0\ndata_dir: ./data\n', { mode: 0o600 });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** The code that a start with the admin page is refused with; undefined: it starts. */
async function startCode(): Promise<string | undefined> {
  try {
    const started = await startGateway({ models: [] }, { admin: { port: 0 } }, home);
    await started[Symbol.asyncDispose]();
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

it.each([
  [undefined, undefined],
  ['', undefined],
  ['false', false],
  ['true', true],
  ...[
    '1',
    '0',
    'TRUE',
    'True',
    'FALSE',
    ' true',
    'true ',
    ' ',
    'yes',
    'no',
    'on',
    'off',
    'enabled',
    'null',
    'ture',
  ].map((value) => [value, 'admin_setting_invalid'] as const),
] as const)('TROUPE_ADMIN_ENABLED=%j is %s', (value, expected) => {
  const env = value === undefined ? {} : { TROUPE_ADMIN_ENABLED: value };
  const read = (): boolean | string | undefined => {
    try {
      return readAdminSetting(env);
    } catch (error) {
      return codeOf(error) ?? '';
    }
  };
  expect(read()).toBe(expected);
});

describe('a start with the admin page', () => {
  const isRoot = process.getuid?.() === 0;
  const written = (): string => readFileSync(file, 'utf8');
  const cases: readonly (readonly [string, string | undefined, () => void])[] = [
    ['with the file as it was written', undefined, () => {}],
    ['without one', 'admin_token_missing', () => rmSync(file)],
    ['that everybody may read', 'admin_token_unusable', () => chmodSync(file, 0o604)],
    ['that its group may read', 'admin_token_unusable', () => chmodSync(file, 0o640)],
    ['that everybody may write', 'admin_token_unusable', () => chmodSync(file, 0o602)],
    ['that is empty', 'admin_token_unusable', () => writeFileSync(file, '')],
    ['that is cut off', 'admin_token_unusable', () => writeFileSync(file, written().slice(0, -8))],
    [
      'that has another kind of hash',
      'admin_token_unusable',
      () => writeFileSync(file, written().replace(/[0-9a-f]{60}/, '')),
    ],
    ['that has the token itself', 'admin_token_unusable', () => writeFileSync(file, createKeySecret('gwa').secret)],
    ['that is no JSON object', 'admin_token_unusable', () => writeFileSync(file, 'null')],
    ['that is of binary noise', 'admin_token_unusable', () => writeFileSync(file, Buffer.from([0xff, 0, 0xfe, 1]))],
    ['that is far too long', 'admin_token_unusable', () => writeFileSync(file, `${written()}${' '.repeat(2_000)}`)],
    ['that is a folder', 'admin_token_unusable', () => (rmSync(file), mkdirSync(file))],
    [
      'that is a link',
      'admin_token_unusable',
      () => {
        writeFileSync(join(home, 'elsewhere'), written(), { mode: 0o600 });
        rmSync(file);
        symlinkSync(join(home, 'elsewhere'), file);
      },
    ],
    ['that cannot be read', isRoot ? undefined : 'admin_token_unusable', () => chmodSync(file, 0o000)],
  ];

  it.each(cases)('%s ends with %s', async (_, code, spoil) => {
    await issueToken(dataDir, createKeySecret('gwa').hash);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    spoil();
    expect(await startCode()).toBe(code);
  });

  it('is mended by another token, which takes the place of any file', async () => {
    await issueToken(dataDir, createKeySecret('gwa').hash);
    chmodSync(file, 0o644);
    const { secret, hash } = createKeySecret('gwa');
    await issueToken(dataDir, hash);
    expect([statSync(file).mode & 0o777, await startCode()]).toEqual([0o600, undefined]);
    await using meter = await openMeter({ directory: dataDir, ...OPTIONS });
    expect(meter.adminToken.check(secret)).toBe(true);
    expect(readFileSync(file, 'utf8')).not.toContain(secret.slice(11, 40));
  });

  it('listens on the address of this machine and on no other', async () => {
    await using admin = await startAdmin();
    // Another process can listen on the same port of another address of this machine.
    for (const host of ['127.0.0.2', '::1']) {
      const server = createServer();
      const code = await new Promise<string | undefined>((resolve) => {
        server.once('error', (error) => resolve(codeOf(error)));
        server.listen({ host, port: admin.adminPort, ipv6Only: host === '::1' }, () => resolve(undefined));
      });
      server.close();
      expect([host, code === 'EADDRINUSE']).toEqual([host, false]);
    }
    expect(admin.started.gateway.adminUrl).toBe(`http://127.0.0.1:${admin.adminPort}`);
  });

  it('is refused with exit status 3 before anything listens, and says what to do', async () => {
    const entry = entryOf('private-gateway');
    const serve = (value: string) =>
      runCli(['serve', '-config', path, '--force'], home, '', {
        entry,
        cwd: home,
        env: { TROUPE_ADMIN_ENABLED: value },
      });
    const [wrong, missing] = await Promise.all([serve('1'), serve('true')]);
    expect([wrong.code, wrong.stdout]).toEqual([3, '']);
    expect(wrong.stderr).toContain('TROUPE_ADMIN_ENABLED is "1"; write true to turn the admin page on, or false');
    expect([missing.code, missing.stdout]).toEqual([3, '']);
    expect(missing.stderr).toContain('no admin token was issued; make one with private-gateway admin-token');
  });
});

describe('the admin page by the file', () => {
  const urlOf = async (admin: object, setup: GatewaySetup['admin']): Promise<string | undefined> => {
    const parts = { models: [], admin };
    await using started = await startGateway(parts, setup === undefined ? {} : { admin: setup }, home);
    const { adminUrl } = started.gateway;
    if (adminUrl !== undefined) expect((await fetch(`${adminUrl}/`)).status).toBe(200);
    return adminUrl;
  };

  it('is served at the port of the file where the environment says nothing', async () => {
    await issueToken(dataDir, createKeySecret('gwa').hash);
    const port = await freePort();
    const follows = { followsFile: true };
    expect(await urlOf({ enabled: true, port }, follows)).toBe(`http://127.0.0.1:${port}`);
    expect(await urlOf({ enabled: false, port }, follows)).toBeUndefined();
    expect(await urlOf({ port }, follows)).toBeUndefined();
    // The environment decides instead: on, and off.
    expect(await urlOf({ enabled: false, port }, {})).toBe(`http://127.0.0.1:${port}`);
    expect(await urlOf({ enabled: true, port }, undefined)).toBeUndefined();
  });
});
