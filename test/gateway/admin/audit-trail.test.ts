// Who changed what from what to what: every changing route of the admin API and every changing operation of the commands is done
// once, and its entry says so. A route or an operation that has no case here fails.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from '../../../src/base/index.js';
import { sections } from '../../../src/gateway/admin/routes/index.js';
import { createGatewayOperator, parseGatewayConfig, type GatewayOperator } from '../../../src/gateway/index.js';
import { operations } from '../../../src/gateway/operations/index.js';
import { readGatewayText } from '../../../src/gateway/index.js';
import { showEntry } from '../../../src/gateway/operations/shown-records.js';
import { imitations } from '../imitations/index.js';
import { serveImitation, type Served } from '../imitations/serve.js';
import { always, completion, startRuntime, type TestRuntime } from '../serving/runtime.js';
import { makeKey, modelOf, runtimeAt } from '../serving/start-gateway.js';
import { startAdmin, type Answered, type StartedAdmin } from './start-admin.js';
import { SOON } from '../../support/start-product.js';

type Entry = ReturnType<typeof showEntry>;
interface Case {
  /** Does it, and gives what is to be known of its entry. */
  readonly run: () => Promise<unknown>;
  /** What the sentence says after who it was. */
  readonly says: RegExp;
  /** What the JSON says. */
  readonly diff?: object;
}

const inFile = makeKey('vk_file', { name: 'web', limits: { requests_per_minute: 60 } });
let runtime: TestRuntime;
let found: Served;
let admin: StartedAdmin;
let operator: GatewayOperator;
let directory: string;
/** Of the key `ci` of the database, and of the scan that found something. */
let [ci, scan] = ['', ''];

beforeAll(async () => {
  runtime = await startRuntime(always(completion(3, 2)));
  found = await serveImitation(imitations.ollama);
  directory = mkdtempSync(join(tmpdir(), 'audit-'));
  const price = { input_per_million: '1', output_per_million: '2', currency: 'USD' };
  admin = await startAdmin({
    runtimes: [runtimeAt(runtime.url)],
    models: [modelOf({ price })],
    virtual_keys: [inFile.entry],
  });
  const { path } = admin.started;
  const { config } = parseGatewayConfig((await readGatewayText(path)).text, path);
  operator = await createGatewayOperator(path, config, { kind: 'cli', id: 'ann' }, () => {});
});

afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  await admin[Symbol.asyncDispose]();
  await found[Symbol.asyncDispose]();
  await runtime[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const ask = async (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> => {
  const got = await admin.script(method, path, { ...(body !== undefined && { body }), headers });
  expect([method, path, got.status, got.text.slice(0, 300)]).toEqual([method, path, 200, expect.any(String)]);
  return got;
};
const etagOf = async (path: string): Promise<Record<string, string>> => ({
  'if-match': String((await ask('GET', path)).headers['etag']).replaceAll('"', ''),
});
const config = (): Promise<Record<string, string>> => etagOf('/admin/api/config');
const key = (id: string): string => `/admin/api/keys/${id}`;
const entries = (after: number): readonly Entry[] =>
  admin.started.meter.audit.read({ after, limit: 1_000 }).map((entry) => showEntry(entry));
const last = (): number => admin.started.meter.audit.read({ limit: 1 }).at(-1)?.seq ?? 0;

const usd = (amount: string) => ({ amount, currency: 'USD', window: 'month' });

/** Every changing route, in an order in which each finds what it changes. */
const ROUTES: Readonly<Record<string, Case>> = {
  'POST /admin/api/session': {
    run: () =>
      admin.raw('POST', '/admin/api/session', {
        body: { token: admin.token, name: 'Bo' },
        headers: { origin: `http://127.0.0.1:${admin.adminPort}` },
      }),
    says: /^Operator Bo \(from 127\.0\.0\.1\) signed in to the admin page\.$/,
  },
  'DELETE /admin/api/session': {
    run: async () => (await admin.signIn()).ask('DELETE', '/admin/api/session'),
    says: /^The gateway ended session [0-9a-f]{12}\.$/,
  },
  'POST /admin/api/keys': {
    async run() {
      const made = await ask('POST', '/admin/api/keys', { name: 'ci', limits: { budget: usd('5') } });
      ci = (made.json as { key: { id: string } }).key.id;
    },
    says: /made key ci with models all and monthly budget 5\.00 USD\.$|made key ci with monthly budget 5\.00 USD\.$/,
    diff: { name: 'ci', before: null, after: { budgets: [{ amount: '5.00', currency: 'USD', window: 'month' }] } },
  },
  'PATCH /admin/api/keys/{id}': {
    run: async () =>
      ask('PATCH', key(ci), { limits: { budget: usd('10'), requests_per_minute: 9 } }, await etagOf(key(ci))),
    says: /^An operator \(by the admin token, from 127\.0\.0\.1\) set the limit of requests a minute of key ci to 9 and raised its monthly budget from 5\.00 to 10\.00 USD\.$/,
    diff: { name: 'ci', before: { requests_per_minute: null }, after: { requests_per_minute: 9 } },
  },
  'POST /admin/api/keys/{id}/rotate': {
    run: () => ask('POST', `${key(ci)}/rotate`, { grace_s: 3600 }),
    says: /gave key ci a new secret; the one before works for 1 hour more\.$/,
    diff: { grace_s: 3600, before: { prefix: expect.any(String) }, after: { prefix: expect.any(String) } },
  },
  'POST /admin/api/keys/{id}/state': {
    run: () => ask('POST', `${key(ci)}/state`, { state: 'disabled' }),
    says: /disabled key ci\.$/,
    diff: { name: 'ci', before: { state: 'active' }, after: { state: 'disabled' } },
  },
  'POST /admin/api/keys/{id}/reset-budget': {
    run: () => ask('POST', `${key(ci)}/reset-budget`, {}),
    says: /reset the monthly budget of key ci \(0\.00 of 10\.00 USD was used\)\.$/,
    diff: { before: { budgets_used: [{ window: 'month', used: '0.00', amount: '10.00', currency: 'USD' }] } },
  },
  'POST /admin/api/models': {
    run: async () =>
      ask(
        'POST',
        '/admin/api/models',
        { id: 'second', targets: [{ runtime: 'r', model: 'm', weight: 1, order: 0 }] },
        await config(),
      ),
    says: /added model second\.$/,
    diff: { changes: [{ of: 'models', id: 'second', before: null, after: { targets: [expect.anything()] } }] },
  },
  'PATCH /admin/api/models/{id}': {
    run: async () => ask('PATCH', '/admin/api/models/second', { max_output_tokens: 512 }, await config()),
    says: /set the limit of tokens an answer of model second to 512\.$/,
    diff: { changes: [{ id: 'second', before: { max_output_tokens: null }, after: { max_output_tokens: 512 } }] },
  },
  'POST /admin/api/models/{id}/try': {
    run: () => ask('POST', '/admin/api/models/demo/try', { message: 'Hi' }),
    says: /sent a test message to model demo\.$/,
  },
  'DELETE /admin/api/models/{id}': {
    run: async () => ask('DELETE', '/admin/api/models/second', undefined, await config()),
    says: /removed model second\.$/,
    diff: { changes: [{ id: 'second', before: { max_output_tokens: 512 }, after: null }] },
  },
  'POST /admin/api/runtimes': {
    run: async () =>
      ask(
        'POST',
        '/admin/api/runtimes',
        { id: 'r2', kind: 'ollama', base_url: found.url, metering: 'inject' },
        await config(),
      ),
    says: /added runtime r2\.$/,
    diff: { changes: [{ of: 'runtimes', id: 'r2', before: null }] },
  },
  'PATCH /admin/api/runtimes/{id}': {
    run: async () => ask('PATCH', '/admin/api/runtimes/r2', { metering: 'observe' }, await config()),
    says: /changed the metering of runtime r2 from inject to observe\.$/,
    diff: { changes: [{ id: 'r2', before: { metering: 'inject' }, after: { metering: 'observe' } }] },
  },
  'POST /admin/api/runtimes/{id}/approve': {
    async run() {
      const { finding } = (await ask('POST', '/admin/api/runtimes/r2/check')).json as {
        finding: { fingerprint: string };
      };
      await ask('POST', '/admin/api/runtimes/r2/approve', { fingerprint: finding.fingerprint }, await config());
    },
    says: /approved runtime r2: runtime r2 fingerprint to /,
    diff: { changes: [{ id: 'r2', before: { fingerprint: null }, after: { fingerprint: expect.any(String) } }] },
  },
  'DELETE /admin/api/runtimes/{id}': {
    run: async () => ask('DELETE', '/admin/api/runtimes/r2', undefined, await config()),
    says: /removed runtime r2\.$/,
    diff: { changes: [{ id: 'r2', before: { base_url: expect.any(String) }, after: null }] },
  },
  'POST /admin/api/scans': {
    async run() {
      const body = { range: '127.0.0.1', ports: [found.port], timeout_s: 5 };
      scan = ((await ask('POST', '/admin/api/scans', body)).json as { scan: { id: string } }).scan.id;
    },
    says: /began the scan 127\.0\.0\.1\.$/,
    diff: { ports: [expect.any(Number)], allow_public: false },
  },
  'POST /admin/api/scans/{id}/import': {
    async run() {
      const state = async () =>
        ((await ask('GET', `/admin/api/scans/${scan}`)).json as { scan: { state: string } }).scan.state;
      await expect.poll(state, SOON).toBe('done');
      await ask('POST', `/admin/api/scans/${scan}/import`, { urls: [found.url] }, await config());
    },
    says: /imported runtimes of a scan: runtime ollama added; model .* added/,
    diff: { approved: [{ url: expect.any(String) }] },
  },
  'DELETE /admin/api/scans/{id}': {
    run: () => ask('DELETE', `/admin/api/scans/${scan}`),
    says: /ended the scan 127\.0\.0\.1\.$/,
  },
  'PUT /admin/api/config': {
    async run() {
      const { text } = (await ask('GET', '/admin/api/config')).json as { text: string };
      const file = text.replace(/"?requests_per_minute"?: ?60/, (found60) => found60.replace('60', '120'));
      expect(file).not.toBe(text);
      await ask('PUT', '/admin/api/config', { text: file }, await config());
    },
    says: /changed gateway\.yaml: key web limit of requests a minute from 60 to 120\.$/,
    diff: { changes: [{ of: 'virtual_keys', id: 'vk_file', name: 'web', before: { requests_per_minute: 60 } }] },
  },
  'POST /admin/api/config/edits': {
    run: async () =>
      ask(
        'POST',
        '/admin/api/config/edits',
        { edits: [{ action: 'set', field: 'retention', value: { audit_days: 400 } }] },
        await config(),
      ),
    says: /changed gateway\.yaml: retention audit_days from 365 to 400\.$/,
    diff: { changes: [{ of: 'retention', before: { audit_days: 365 }, after: { audit_days: 400 } }] },
  },
  'POST /admin/api/config/versions/{id}/restore': {
    async run() {
      const { data } = (await ask('GET', '/admin/api/config/versions')).json as { data: { id: string }[] };
      const { id } = present(data[0], 'there is a version');
      await ask('POST', `/admin/api/config/versions/${id}/restore`, undefined, await config());
    },
    says: /restored gateway\.yaml of \S+: retention audit_days from 400 to 365\.$/,
    diff: { version: expect.any(String) },
  },
  'POST /admin/api/system/reload': {
    run: () => ask('POST', '/admin/api/system/reload'),
    says: /had the gateway read gateway\.yaml\.$/,
  },
  'GET /admin/api/audit/export': {
    run: () => ask('GET', '/admin/api/audit/export'),
    says: /exported the audit log\.$/,
  },
  'POST /admin/api/system/drain': {
    run: () => ask('POST', '/admin/api/system/drain', { grace_s: 1 }),
    says: /drained the gateway: it takes no more requests\.$/,
    diff: { before: { state: 'serving' }, after: { state: 'draining' }, grace_s: 1, stop: false },
  },
};

/** Operations that change nothing. */
const READS = ['keys.list', 'usage', 'requests', 'audit.verify', 'audit.read'];

/** Every changing operation, as its command asks for it. */
const OPERATIONS: Readonly<Record<string, Case>> = {
  'keys.create': {
    async run() {
      ci = ((await operator.run('keys.create', { name: 'cli' })) as { key: { id: string } }).key.id;
    },
    says: /^Operator ann at the command line made key cli\.$/,
    diff: { name: 'cli', before: null, after: { models: null } },
  },
  'keys.set': {
    run: () => operator.run('keys.set', { id: ci, name: 'build', limits: { budget: usd('5.5') } }),
    says: /^Operator ann at the command line changed the name of key cli from cli to build and set its monthly budget to 5\.50 USD\.$/,
    diff: { name: 'cli', before: { name: 'cli', budgets: [] }, after: { name: 'build', budgets: [usd('5.50')] } },
  },
  'keys.rotate': {
    async run() {
      await operator.run('keys.rotate', { id: ci, grace_ms: 60_000 });
      await operator.run('keys.rotate', { id: ci, grace_ms: 0 });
    },
    says: /gave key build a new secret; the 2 older ones ended at once\.$/,
    diff: { ended_secrets: 2 },
  },
  'keys.reset-budget': {
    run: () => operator.run('keys.reset-budget', { id: ci, window: 'month', unit: 'USD' }),
    says: /reset the monthly budget of key build \(0\.00 of 5\.50 USD was used\)\.$/,
  },
  'keys.set-state': {
    run: () => operator.run('keys.set-state', { id: ci, state: 'revoked' }),
    says: /revoked key build\.$/,
    diff: { name: 'build', before: { state: 'active' }, after: { state: 'revoked' } },
  },
  backup: {
    run: () => operator.run('backup', { directory: join(directory, 'copy') }),
    says: /made a backup of the databases\.$/,
  },
  'admin-token.create': {
    run: () => operator.run('admin-token.create'),
    says: /replaced the admin token\.$/,
    diff: { before: { issued: true }, after: { issued: true } },
  },
};

describe('the audit log', () => {
  it('has a case here for every changing route and operation', () => {
    const routes = Object.values(sections).flat();
    const changing = routes.filter(({ method, isSafe }) => method !== 'GET' && isSafe !== true);
    const names = [...changing.map(({ method, path }) => `${method} ${path}`), 'GET /admin/api/audit/export'];
    expect(Object.keys(ROUTES).toSorted()).toEqual(names.toSorted());
    const changes = Object.keys(operations).filter((name) => !READS.includes(name));
    expect(Object.keys(OPERATIONS).toSorted()).toEqual(changes.toSorted());
  });

  it('has one entry of what was refused or failed, which is never ok', async () => {
    const running = { range: '127.0.0.0/24', ports: [1, 2, 3], timeout_s: 5 };
    const refused: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['scan_range_invalid', () => admin.script('POST', '/admin/api/scans', { body: { range: 'nowhere' } })],
      ['scan_range_refused', () => admin.script('POST', '/admin/api/scans', { body: { range: '8.8.8.8' } })],
      [
        'scan_busy',
        async () => {
          const got = await admin.script('POST', '/admin/api/scans', { body: running });
          await admin.script('POST', '/admin/api/scans', { body: running });
          scan = (got.json as { scan: { id: string } }).scan.id;
        },
      ],
      [
        'admin_token_invalid',
        () =>
          admin.raw('POST', '/admin/api/session', {
            body: { token: 'wrong' },
            headers: { origin: `http://127.0.0.1:${admin.adminPort}` },
          }),
      ],
    ];
    for (const [code, run] of refused) {
      const before = last();
      await run();
      const ends = entries(before).map(({ outcome, reason }) => [outcome, reason]);
      expect([code, ends.filter(([outcome]) => outcome !== 'ok')]).toEqual([code, [['refused', code]]]);
      expect(ends.filter(([outcome]) => outcome === 'ok')).toHaveLength(code === 'scan_busy' ? 1 : 0);
      const said = entries(before).find(({ reason }) => reason === code)?.sentence;
      expect(said).toMatch(new RegExp(`tried to .*, and was refused: ${code}\\.$`));
    }
    await admin.script('DELETE', `/admin/api/scans/${scan}`);
  });

  it.each([...Object.entries(ROUTES), ...Object.entries(OPERATIONS)])('says who did what by %s', async (_, one) => {
    const before = last();
    await one.run();
    const written = (): readonly string[] => entries(before).map(({ sentence }) => sentence);
    await expect.poll(written, SOON).toContainEqual(expect.stringMatching(one.says));
    const entry = present(
      entries(before).findLast(({ sentence }) => one.says.test(sentence)),
      'it is there',
    );
    expect(entry).toMatchObject({ outcome: 'ok', ...(one.diff !== undefined && { diff: one.diff }) });
    // What an operator did is one entry, whatever the gateway then did by itself.
    const actors = entries(before).filter(({ actor, action }) => actor !== 'system' && action === entry.action);
    expect(new Set(actors.map(({ outcome }) => outcome))).toEqual(new Set(entry.actor === 'system' ? [] : ['ok']));
  });

  it('tells of no secret: neither a key nor a hash of one', () => {
    const all = JSON.stringify(entries(0));
    expect(all).not.toMatch(/gw[ka]_\w{6}_\w/);
    expect(all).not.toContain(String(inFile.entry['hash']));
  });
});
