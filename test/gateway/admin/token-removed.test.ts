// The file of the admin token is the truth while a gateway runs: a token that it no longer has is refused from then on.
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ADMIN_TOKEN_FILE, createKeySecret } from '../../../src/metering/index.js';
import { readEvents, startAdmin, type StartedAdmin } from './start-admin.js';

const signIn = async ({ raw, adminPort }: StartedAdmin, token: string): Promise<number> =>
  (await raw('POST', '/admin/api/session', { body: { token }, headers: { origin: `http://127.0.0.1:${adminPort}` } }))
    .status;

const cases: readonly (readonly [string, (file: string) => void])[] = [
  ['deleted', (file) => rmSync(file)],
  ['opened to others', (file) => chmodSync(file, 0o644)],
  ['made unreadable as a token', (file) => writeFileSync(file, '{}')],
  [
    'replaced by that of another token',
    (file) => writeFileSync(file, JSON.stringify({ version: 1, sha256: createKeySecret('gwa').hash })),
  ],
];

it.each(cases)('a token whose file is %s ends its sessions, its streams and signing in at once', async (_, change) => {
  await using admin = await startAdmin();
  const page = await admin.signIn();
  const file = join(admin.started.dataDir, ADMIN_TOKEN_FILE);
  const before = readFileSync(file, 'utf8');
  const types: unknown[] = [];
  const stream = (async () => {
    for await (const event of readEvents(admin.adminPort, '/admin/api/overview/events', page.headers)) {
      types.push(event['type']);
      if (types.length === 1) change(file);
    }
  })();
  // No request is sent meanwhile: the stream ends by itself.
  await stream;
  expect(types.at(-1)).toBe('session_ended');
  expect((await page.ask('GET', '/admin/api/keys')).status).toBe(401);
  expect((await admin.script('GET', '/admin/api/keys')).status).toBe(401);
  expect(await signIn(admin, admin.token)).toBe(401);
  const said = admin.started.meter.audit.read({ limit: 50 }).map(({ action }) => action);
  expect(said.filter((action) => action.startsWith('admin-token.')).length).toBeGreaterThan(1);
  // The same token is taken again when its file is there again; its sessions are not.
  writeFileSync(file, before);
  chmodSync(file, 0o600);
  expect((await admin.script('GET', '/admin/api/keys')).status).toBe(200);
  expect((await page.ask('GET', '/admin/api/keys')).status).toBe(401);
});

it('a session ends with the very next request after the file is gone', async () => {
  await using admin = await startAdmin();
  const page = await admin.signIn();
  expect((await page.ask('GET', '/admin/api/keys')).status).toBe(200);
  rmSync(join(admin.started.dataDir, ADMIN_TOKEN_FILE));
  expect((await page.ask('GET', '/admin/api/keys')).status).toBe(401);
});
