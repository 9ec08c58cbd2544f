// Runs every changing operation of the hosted API and every changing path of its customers once, and checks the actor
// and the values before and after in its entry. An operation without a case here fails.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/index.js';
import { operations } from '../../src/hosted/operations/index.js';
import { createRoutes } from '../../src/hosted/serving/routes/index.js';
import { always, completion, startRuntime, type TestRuntime } from '../gateway/serving/runtime.js';
import { listOf, startListing, type ListingServer } from './gateways/listing-server.js';
import { noPostgres, postgresDatabases } from '../support/test-databases.js';
import { providerAt, startHosted, type StartedHosted } from './serving/start-hosted.js';
import { makeHome } from '../support/start-product.js';

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
const WAYS = [
  { name: 'SQLite, by commands', url: undefined, isPage: false },
  noPostgres === undefined
    ? { name: 'PostgreSQL, by the operator page', url: () => postgres.freshUrl(), isPage: true }
    : { name: 'SQLite, by the operator page', url: undefined, isPage: true },
];
afterAll(() => postgres.close());

describe.each(WAYS)('the audit log of the hosted API on $name', ({ url: freshUrl, isPage }) => {
  const operator = isPage ? 'An operator (by the operator page)' : 'An operator at the command line';
  let hosted: StartedHosted;
  let runtime: TestRuntime;
  let gateway: ListingServer;
  let [account, key, secret] = ['', '', ''];

  beforeAll(async () => {
    runtime = await startRuntime(always(completion(3, 2)));
    gateway = await startListing(listOf('llama3', 'qwen3'));
    const url = await freshUrl?.();
    const secrets: Readonly<Record<string, string>> = {
      SECRET: 's'.repeat(32),
      UP_KEY: 'up',
      OTHER_KEY: 'other',
      HOOK: `whsec_${'A'.repeat(43)}=`,
      DATABASE_URL: url ?? '',
    };
    hosted = await startHosted(
      {
        ...(url !== undefined && { database: { postgres: { url: { env: 'DATABASE_URL' } } } }),
        providers: [providerAt(runtime.url)],
        gateways: { allow_private: ['127.0.0.0/8'] },
        operator: { port: 0 },
      },
      { readSecret: async (source) => (source.from === 'env' ? (secrets[source.name] ?? '') : '') },
    );
  });
  afterAll(async () => {
    await hosted[Symbol.asyncDispose]();
    await runtime[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
  });

  const run = (operation: Parameters<StartedHosted['operate']>[0], params: object = {}): Promise<unknown> =>
    isPage ? askPage(operation, params) : hosted.operate(operation, params);
  const tokenOf = ({ hosted: { operator: page } }: StartedHosted): string =>
    readFileSync(page?.tokenPath ?? '', 'utf8').trim();
  const postToPage = (path: string, params: object, token: string): Promise<Response> =>
    fetch(`${hosted.hosted.operator?.url}/operator/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
  async function askPage(operation: string, params: object): Promise<unknown> {
    const got = await postToPage(operation, params, tokenOf(hosted));
    const result = (await got.json()) as { readonly error?: { readonly code: string } };
    // As the control socket answers.
    if (result.error !== undefined) throw new AppError(result.error.code, 'the page answered with an error');
    return result;
  }
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
      says: / made account Ann with currency EUR\.$/,
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

  it.each(Object.keys(OPERATIONS))('%s says who did what', async (name) => {
    await expectEntry(OPERATIONS[name]);
  });

  it.each(Object.keys(ROUTES))('%s says who did what', async (name) => {
    await expectEntry(ROUTES[name]);
  });

  async function expectEntry(wanted: Case | undefined): Promise<void> {
    if (wanted === undefined) throw new Error('there is such a case');
    const before = await last();
    await wanted.run();
    const [newest] = await list({ limit: 1 });
    expect(newest?.seq).toBeGreaterThan(before);
    expect(newest).toMatchObject({ outcome: 'ok', sentence: expect.stringMatching(wanted.says) as string });
    const { actor = '', sentence = '' } = newest ?? {};
    if (!actor.startsWith('key:')) expect(sentence.startsWith(`${operator} `), sentence).toBe(true);
    if (wanted.diff !== undefined) expect(newest?.diff).toMatchObject(wanted.diff);
  }

  it('has one entry of what was refused or failed, with what was asked for, which is never ok', async () => {
    const credit = (id: string, amount: string): Promise<unknown> =>
      run('accounts.credit', { id, amount, reference: 'x' });
    const refused: readonly (readonly [string, () => Promise<unknown>, string, object?])[] = [
      ['account_unknown', () => credit('acc_no', '1'), 'book 1 to account acc_no', { amount: '1' }],
      ['balance_exceeded', () => credit(account, '-99'), 'book -99 to account Ann', { amount: '-99', reference: 'x' }],
      ['account_key_unknown', () => run('keys.set-state', { id: 'hk_no', state: 'disabled' }), 'disable key hk_no'],
      [
        'invalid_value',
        () => run('keys.create', { account_id: account, name: 'new', requests_per_minute: 5, expires_at_ms: 1 }),
        'make key new with limit of requests a minute 5 and',
        { account_id: account, name: 'new', before: null },
      ],
      ['gateway_unknown', () => run('gateways.remove', { slug: 'nobody' }), 'remove gateway nobody'],
      [
        'gateway_url_refused',
        () => run('gateways.add', { slug: 'b', name: 'B', base_url: 'https://me:pass-word@h.example/' }),
        'connect gateway B',
        { after: { base_url: 'https://…@h.example/' } },
      ],
      ['prices_invalid', () => run('prices.import-text', { format: 'csv', text: 'x' }), 'import prices'],
    ];
    for (const [reason, act, toDo, diff = {}] of refused) {
      const before = await last();
      await expect(act()).rejects.toMatchObject({ code: reason });
      const [newest] = await list({ limit: 1 });
      expect(newest).toMatchObject({ seq: before + 1, outcome: 'refused', reason, diff });
      const { sentence = '' } = newest ?? {};
      expect(sentence.startsWith(`${operator} tried to ${toDo}`), sentence).toBe(true);
      expect(sentence).toMatch(/, and was refused: [a-z_]+\.$/);
    }
  });

  it('has one entry of a rotation that a customer may not do, with the names of both keys', async () => {
    const made = (await run('keys.create', { account_id: account, name: 'limited', requests_per_minute: 9 })) as {
      secret: string;
    };
    const other = await hosted.payer(1);
    const rotate = (id: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${hosted.port}/v1/keys/${id}/rotate`, {
        method: 'POST',
        headers: { authorization: `Bearer ${made.secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ grace_s: 60 }),
      });
    for (const [id, target] of [
      [key, 'key ci of account Ann'],
      [other.key.id, `key a key of account ${other.account.name}`],
      ['hk_no', 'key hk_no'],
    ] as const) {
      const before = await last();
      expect((await rotate(id)).status).toBe(403);
      const [newest] = await list({ limit: 1 });
      expect(newest).toMatchObject({
        seq: before + 1,
        sentence: `Key limited tried to give ${target} a new secret, and was refused: key_rotation_denied.`,
        diff: { by_name: 'limited', grace_s: 60 },
      });
    }
  });

  it('has an entry of a wrong operator token, and of a flood twenty a minute', async () => {
    const before = await last();
    for (let i = 0; i < 25; i++) expect((await postToPage('audit.list', {}, `hop_wrong-${i}`)).status).toBe(401);
    const added = (await list()).filter(({ seq }) => seq > before);
    expect(added).toHaveLength(20);
    for (const entry of added) {
      expect(entry).toMatchObject({ outcome: 'refused', reason: 'operator_token_invalid', target: 'operator-page' });
      expect(entry.sentence).toMatch(/^An operator \(by the operator page\) tried to open the operator page, and was/);
    }
  });

  it('has an entry of a changed hosted.yaml with every value before and after, and none where nothing changed', async () => {
    const hook = (path: string) => ({ id: 'ops', url: `https://hooks.example/${path}`, secret: { env: 'HOOK' } });
    const first = providerAt(runtime.url);
    await hosted.rewrite({ providers: [first], currency: 'USD' });
    const before = await last();
    const changed = [
      {
        parts: {
          providers: [{ ...first, connections: 7, credential: { env: 'OTHER_KEY' } }],
          limits: { disconnect_streams: 5 },
        },
        says: /^The hosted API took up hosted\.yaml: provider up credential from env UP_KEY to env OTHER_KEY, connections from \d+ to 7; limits disconnect_streams from \d+ to 5\.$/,
        diff: {
          needs_restart: ['limits.disconnect_streams'],
          changes: [{ of: 'providers', id: 'up', before: { credential: 'env UP_KEY' }, after: { connections: 7 } }, {}],
        },
      },
      { parts: { providers: [] }, says: /provider up removed\.$/, diff: { changes: [{ id: 'up', after: null }] } },
      { parts: { providers: [first] }, says: /provider up added\.$/, diff: { changes: [{ id: 'up', before: null }] } },
      {
        parts: { alerts: { webhooks: [hook('T0/secret-path')] } },
        says: /alerts webhooks from none to .*hooks\.example\/… \(/,
      },
      { parts: { alerts: { webhooks: [hook('T0/another-path')] } }, says: /alerts webhooks from .* to / },
    ];
    for (const [i, { parts, says, diff = {} }] of changed.entries()) {
      await hosted.rewrite(parts);
      // Spaces and a look at a file that is as it was.
      await hosted.rewrite({});
      const [newest] = await list({ limit: 1 });
      expect(newest).toMatchObject({ seq: before + 1 + i, actor: 'system', outcome: 'ok', diff });
      expect(newest?.sentence).toMatch(says);
    }
    await hosted.rewrite({ providers: [{ ...first, base_url: 'nowhere' }] });
    const [newest] = await list({ limit: 1 });
    expect(newest).toMatchObject({ outcome: 'refused', reason: 'hosted_config_invalid', target: 'config' });
    await hosted.rewrite({ providers: [first] });
    expect(JSON.stringify(await list())).not.toMatch(/secret-path|another-path|pass-word/);
    expect(await last()).toBe(before + changed.length + 1);
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
    expect(await picked({ outcome: 'refused', action: 'gateway.' })).toHaveLength(2);
    expect(await picked({ to_ms: 1 })).toEqual([]);
    expect(await picked({ from_ms: 1 })).toHaveLength(all.length);
  });

  it('is whole and has no secret, and its copies have every entry and a checksum', async () => {
    expect(await run('audit.verify')).toMatchObject({ ok: true, first_bad: null });
    const token = tokenOf(hosted);
    const file = async (params: object): Promise<string> => {
      const got = await postToPage('files/audit', params, token);
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

it('the audit log of the hosted API has what changed in hosted.yaml while no node ran', async () => {
  const home = makeHome();
  const provider = (models: readonly string[]): object => providerAt('http://127.0.0.1:9', { models });
  const sentences = async (models: readonly string[]): Promise<readonly (readonly [string, string])[]> => {
    await using node = await startHosted({ providers: [provider(models)] }, {}, home);
    const { entries } = (await node.operate('audit.list')) as { readonly entries: readonly Entry[] };
    return entries.map(({ sentence, reason }) => [sentence, reason]);
  };
  try {
    const first = ['The hosted API took up hosted.yaml: provider up added.', 'start'];
    expect(await sentences(['a'])).toEqual([first]);
    expect(await sentences(['a'])).toEqual([first]);
    const second = ['The hosted API took up hosted.yaml: provider up models from a to a, b.', 'start'];
    expect(await sentences(['a', 'b'])).toEqual([second, first]);
  } finally {
    rmSync(home, { recursive: true });
  }
});
