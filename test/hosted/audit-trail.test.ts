// Runs every changing operation of the hosted API and every changing path of its customers once, and checks the actor
// and the values before and after in its entry. An operation without a case here fails.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/hosted/operations/index.js';
import { createRoutes } from '../../src/hosted/serving/routes/index.js';
import { always, completion, startRuntime, type TestRuntime } from '../gateway/serving/runtime.js';
import { listOf, startListing, type ListingServer } from './gateways/listing-server.js';
import { noPostgres, postgresDatabases } from '../support/test-databases.js';
import { providerAt, startHosted, type StartedHosted } from './serving/start-hosted.js';

interface Entry {
  readonly seq: number;
  readonly sentence: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: string;
  readonly reason: string;
  readonly diff: object;
}
interface Case {
  readonly run: () => Promise<unknown>;
  /** The sentence of the entry. */
  readonly says: RegExp;
  /** The diff in JSON. */
  readonly diff?: object;
}

/** Operations that change nothing. */
const READS = /\.(?:list|show|sum|statement|verify|read)$/;
const postgres = postgresDatabases();
const DATABASES = [
  { name: 'SQLite', url: undefined },
  ...(noPostgres === undefined ? [{ name: 'PostgreSQL', url: () => postgres.freshUrl() }] : []),
];
afterAll(() => postgres.close());

describe.each(DATABASES)('the audit log of the hosted API on $name', ({ url: freshUrl }) => {
  let hosted: StartedHosted;
  let runtime: TestRuntime;
  let gateway: ListingServer;
  let [account, key, secret] = ['', '', ''];

  beforeAll(async () => {
    runtime = await startRuntime(always(completion(3, 2)));
    gateway = await startListing(listOf('llama3', 'qwen3'));
    const url = await freshUrl?.();
    const secrets: Readonly<Record<string, string>> = { SECRET: 's'.repeat(32), UP_KEY: 'up', DATABASE_URL: url ?? '' };
    hosted = await startHosted(
      {
        ...(url !== undefined && { database: { postgres: { url: { env: 'DATABASE_URL' } } } }),
        providers: [providerAt(runtime.url)],
        gateways: { allow_private: ['127.0.0.0/8'] },
        operator: { port: 0 },
      },
      { readSecret: async (source) => (source.from === 'env' ? (secrets[source.name] ?? '') : '') },
    );
  }, 120_000);
  afterAll(async () => {
    await hosted[Symbol.asyncDispose]();
    await runtime[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
  });

  const run = (operation: Parameters<StartedHosted['operate']>[0], params: object = {}): Promise<unknown> =>
    hosted.operate(operation, params);
  const list = async (params: object = {}): Promise<readonly Entry[]> =>
    ((await run('audit.list', { limit: 1_000, ...params })) as { readonly entries: readonly Entry[] }).entries;
  const last = async (): Promise<number> => (await list({ limit: 1 }))[0]?.seq ?? 0;

  /** In an order in which each operation finds the thing that it changes. */
  const OPERATIONS: Readonly<Record<string, Case>> = {
    'accounts.create': {
      async run() {
        const made = (await run('accounts.create', { name: 'Ann', currency: 'EUR' })) as { account: { id: string } };
        account = made.account.id;
      },
      says: /^An operator at the command line made account Ann with currency EUR\.$/,
      diff: { name: 'Ann', before: null, after: { name: 'Ann', currency: 'EUR' } },
    },
    'accounts.credit': {
      run: () => run('accounts.credit', { id: account, amount: '20.50', reference: 'p-1', note: 'first' }),
      says: /booked 20\.50 EUR to account Ann \(reference p-1\); its balance went from 0\.00 to 20\.50\.$/,
      diff: { name: 'Ann', before: { balance: '0.00' }, after: { balance: '20.50' }, reference: 'p-1', note: 'first' },
    },
    'accounts.set-state': {
      async run() {
        await run('accounts.set-state', { id: account, state: 'suspended' });
        await run('accounts.set-state', { id: account, state: 'active' });
      },
      says: /let account Ann go on\.$/,
      diff: { name: 'Ann', before: { state: 'suspended' }, after: { state: 'active' } },
    },
    'keys.create': {
      async run() {
        const limits = { requests_per_minute: 60, budgets: [{ amount: '5', window: 'month' }] };
        const made = (await run('keys.create', { account_id: account, name: 'ci', ...limits })) as {
          secret: string;
          key: { id: string };
        };
        [key, secret] = [made.key.id, made.secret];
      },
      says: /made key ci of account Ann with limit of requests a minute 60 and monthly budget 5\.00 EUR\.$/,
      diff: {
        name: 'ci',
        account_name: 'Ann',
        before: null,
        after: { requests_per_minute: 60, budgets: [{ amount: '5.00', currency: 'EUR', window: 'month' }] },
      },
    },
    'keys.rotate': {
      async run() {
        await run('keys.rotate', { id: key, grace_ms: 60_000 });
        ({ secret } = (await run('keys.rotate', { id: key, grace_ms: 0 })) as { secret: string });
      },
      says: /gave key ci of account Ann a new secret; the 2 older ones ended at once\.$/,
      diff: { ended_secrets: 2, before: { prefix: expect.any(String) }, after: { prefix: expect.any(String) } },
    },
    'keys.set-state': {
      async run() {
        await run('keys.set-state', { id: key, state: 'disabled' });
        await run('keys.set-state', { id: key, state: 'active' });
      },
      says: /enabled key ci of account Ann\.$/,
      diff: { name: 'ci', before: { state: 'disabled' }, after: { state: 'active' } },
    },
    'gateways.add': {
      async run() {
        const berlin = { slug: 'berlin', name: 'Berlin', base_url: gateway.url, credential: 'a-credential' };
        await run('gateways.add', berlin);
        await run('gateways.add', { ...berlin, models: ['llama3'], replace: true });
      },
      says: /changed the offered models of gateway Berlin from all to llama3\.$/,
      diff: { name: 'Berlin', before: { offer: 'all' }, after: { offer: ['llama3'] }, credential: 'set anew' },
    },
    'gateways.sync': {
      run: () => run('gateways.sync', { slug: 'berlin' }),
      says: /asked gateway Berlin for its models, which offers 1 model\.$/,
    },
    'gateways.set-state': {
      run: () => run('gateways.set-state', { slug: 'berlin', state: 'disabled' }),
      says: /disabled gateway Berlin\.$/,
      diff: { name: 'Berlin', before: { state: 'active' }, after: { state: 'disabled' } },
    },
    'gateways.remove': {
      run: () => run('gateways.remove', { slug: 'berlin' }),
      says: /removed gateway Berlin\.$/,
      diff: { name: 'Berlin', before: { base_url: expect.any(String), credential: 'set' }, after: null },
    },
    'prices.import-text': {
      run: () =>
        run('prices.import-text', {
          format: 'csv',
          text: 'provider,model,currency,input,output\nup,demo,EUR,1,2\n',
        }),
      says: /imported a price: price up\/demo added\.$/,
      diff: { changes: [{ of: 'prices', id: 'up/demo', before: null, after: { input: '1', output: '2' } }] },
    },
    'prices.import': {
      run: () => {
        const none = { request_nano: '0', image_nano: '0', audio_nano: '0' };
        const rates = { input_nano: '1500', cached_input_nano: '1000', cache_write_nano: '1000', output_nano: '2000' };
        return run('prices.import', {
          prices: [{ provider: 'up', model: 'demo', currency: 'EUR', ...rates, ...none }],
        });
      },
      says: /imported a price: price up\/demo .*input from 1 to 1\.5/,
      diff: { changes: [{ before: { input: '1', version: 1 }, after: { input: '1.5', version: 2 } }] },
    },
    'ledger.export': {
      run: () => run('ledger.export', { path: join(hosted.home, 'ledger.ndjson') }),
      says: /exported the ledger\.$/,
    },
    'audit.export': {
      run: () => run('audit.export', { action: 'key.' }),
      says: /exported the audit log\.$/,
      diff: { action: 'key.' },
    },
  };

  /** Changes that customers make by their own keys. */
  const ROUTES: Readonly<Record<string, Case>> = {
    'POST /v1/keys/{id}/rotate': {
      async run() {
        const got = await fetch(`http://127.0.0.1:${hosted.port}/v1/keys/${key}/rotate`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}` },
        });
        expect(got.status).toBe(200);
      },
      says: /^Key ci gave key ci of account Ann a new secret; the one before ended at once\.$/,
      diff: { by_name: 'ci', account_name: 'Ann' },
    },
  };

  it('has a case here for every changing operation and path', () => {
    const changing = Object.keys(operations).filter((name) => !READS.test(name));
    expect(Object.keys(OPERATIONS).toSorted()).toEqual(changing.toSorted());
    const routes = createRoutes({
      basePaths: [''],
      table: () => ({ entries: [] }) as never,
      directory: {} as never,
      kindOf: () => 'unavailable',
      serviceId: 's',
      body: { kind: 'bytes' } as never,
    });
    // The list of requests has relayed requests, with their costs.
    const paths = routes.filter(({ method, operation }) => method !== 'GET' && operation === undefined);
    expect(paths.map(({ method, path }) => `${method} ${path}`)).toEqual(Object.keys(ROUTES));
  });

  it.each(Object.keys(OPERATIONS))('%s says who did what', { timeout: 60_000 }, async (name) => {
    await expectEntry(OPERATIONS[name]);
  });

  it.each(Object.keys(ROUTES))('%s says who did what', { timeout: 60_000 }, async (name) => {
    await expectEntry(ROUTES[name]);
  });

  async function expectEntry(wanted: Case | undefined): Promise<void> {
    if (wanted === undefined) throw new Error('there is such a case');
    const before = await last();
    await wanted.run();
    const [newest] = await list({ limit: 1 });
    expect(newest?.seq).toBeGreaterThan(before);
    expect(newest).toMatchObject({ outcome: 'ok', sentence: expect.stringMatching(wanted.says) as string });
    if (wanted.diff !== undefined) expect(newest?.diff).toMatchObject(wanted.diff);
  }

  it('has one entry of what was refused or failed, which is never ok', async () => {
    const refused: readonly (readonly [string, string, () => Promise<unknown>])[] = [
      ['account_unknown', 'refused', () => run('accounts.credit', { id: 'acc_no', amount: '1', reference: 'x' })],
      ['balance_exceeded', 'refused', () => run('accounts.credit', { id: account, amount: '-99', reference: 'x' })],
      ['account_key_unknown', 'refused', () => run('keys.set-state', { id: 'hk_no', state: 'disabled' })],
      ['gateway_unknown', 'refused', () => run('gateways.remove', { slug: 'nobody' })],
      ['prices_invalid', 'refused', () => run('prices.import-text', { format: 'csv', text: 'x' })],
    ];
    for (const [reason, outcome, act] of refused) {
      const before = await last();
      await expect(act()).rejects.toMatchObject({ code: reason });
      const [newest] = await list({ limit: 1 });
      expect(newest).toMatchObject({ seq: before + 1, outcome, reason });
      expect(newest?.sentence).toMatch(/^An operator at the command line tried to .*, and was refused: [a-z_]+\.$/);
    }
  });

  it('is found by who, what, of what and when', async () => {
    const all = await list();
    const picked = async (params: object): Promise<readonly number[]> => (await list(params)).map(({ seq }) => seq);
    for (const [name, text] of [
      ['actor', 'key:'],
      ['action', 'gateway.'],
      ['target', `account:${account}`],
    ] as const) {
      const wanted = all.filter((entry) => entry[name].startsWith(text)).map(({ seq }) => seq);
      expect(wanted.length).toBeGreaterThan(0);
      expect(await picked({ [name]: text })).toEqual(wanted);
    }
    expect(await picked({ outcome: 'refused', action: 'gateway.' })).toHaveLength(1);
    expect(await picked({ to_ms: 1 })).toEqual([]);
    expect(await picked({ from_ms: 1 })).toHaveLength(all.length);
  });

  it('is whole and has no secret, and its copies have every entry and a checksum', async () => {
    expect(await run('audit.verify')).toMatchObject({ ok: true, first_bad: null });
    const { operator } = hosted.hosted;
    const token = readFileSync(operator?.tokenPath ?? '', 'utf8').trim();
    const file = async (params: object): Promise<string> => {
      const got = await fetch(`${operator?.url}/operator/files/audit`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(params),
      });
      expect(got.status).toBe(200);
      return got.text();
    };
    const lines = (await file({})).trimEnd().split('\n');
    const body = lines.slice(0, -1).map((line) => `${line}\n`);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      entries: body.length,
      sha256: createHash('sha256').update(body.join('')).digest('hex'),
    });
    const copied = body.map((line) => JSON.parse(line) as Entry);
    expect(copied.map(({ seq }) => seq)).toEqual(copied.map((_, i) => i + 1));
    expect(copied.at(-1)).toMatchObject({ action: 'audit.export', actor: 'operator' });
    const csv = (await file({ format: 'csv', action: 'key.' })).trimEnd().split('\r\n');
    expect(csv[0]).toBe('seq,time,sentence,actor,action,target,outcome,reason,diff,hash');
    expect(csv.length - 1).toBe(copied.filter(({ action }) => action.startsWith('key.')).length);
    for (const word of [secret, 'a-credential', token]) expect(body.join('')).not.toContain(word);
    expect(await run('audit.verify')).toMatchObject({ ok: true, first_bad: null });
  });
});
