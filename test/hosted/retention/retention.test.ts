// Zero retention (S14) of the program itself: after 1,000 requests of every kind, by paths of providers and of connected
// gateways, nothing of a prompt, an answer or a secret is in a file, a database, its write-ahead log, the outbox, a log, a
// metric, a dump, or the answer to another client.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createKeySecret } from '../../../src/metering/index.js';
import { keyHeaders } from '../../gateway/hardening-gateway.js';
import { startFaulty } from '../../gateway/hardening-upstreams.js';
import { findNeedles } from '../../support/find-needles.js';
import { noRedis, startRedis } from '../../support/redis.js';
import { canaryFaults } from '../../support/retention/canary-faults.js';
import { canaryBody, sendCanaries } from '../../support/retention/canary-requests.js';
import { canary, createCanaries } from '../../support/retention/canaries.js';
import { noPostgres, postgresDatabases } from '../../support/test-databases.js';
import { dumpPostgres, dumpValkey } from './dump-databases.js';
import { serveNode, type ServedNode } from './serve-node.js';
import { SOON } from '../../support/start-product.js';

const canaries = createCanaries();
const faults = canaryFaults(canaries);
const MODELS = Object.keys(faults);
const GATEWAY_CREDENTIAL = canary('gateway');
const SERVICE_SECRET = canary('service').padEnd(40, 'x');
const MISTYPED = createKeySecret('hak').secret;
const PATHS = [
  { path: '/v1/chat/completions', dialect: 'chat-completions' },
  { path: '/v1/messages', dialect: 'messages' },
  { path: '/v1/responses', dialect: 'responses' },
  { path: '/v1/embeddings', dialect: 'embeddings' },
  { path: '/v1/rerank', dialect: 'none' },
];

/** A folder that nothing is searched in, for secrets that are to be there. */
const vault = mkdtempSync(join(tmpdir(), 'vault-'));
afterAll(() => rmSync(vault, { recursive: true, force: true }));
const inVault = (name: string, secret: string): { readonly file: string } => {
  const file = join(vault, name);
  writeFileSync(file, secret, { mode: 0o600 });
  return { file };
};

/** A provider for each model, so that a broken one opens no breaker before another. */
function fileOf(url: string, more: object): object {
  const credential = inVault('credential', canaries.credential);
  return {
    listen: { port: 0 },
    data_dir: './data',
    secret: inVault('secret', SERVICE_SECRET),
    gateways: { allow_private: ['127.0.0.0/8'] },
    operator: { port: 0 },
    limits: { body_mib: 1, disconnect_s: 1 },
    providers: MODELS.map((model) => ({ id: `p-${model}`, base_url: url, credential, paths: PATHS })),
    ...more,
  };
}

/** An account with money and two keys, a connected gateway for each model, and prices. */
async function prepare(node: ServedNode, url: string): Promise<{ readonly key: string; readonly second: string }> {
  const made = (await node.operate('accounts.create', { name: 'Acme', currency: 'USD' })) as {
    account: { id: string };
  };
  const { id } = made.account;
  await node.operate('accounts.credit', { id, amount: '1000.00', reference: 'first' });
  const keyOf = async (name: string): Promise<string> => {
    const limits = { requests_per_minute: 1_000_000, tokens_per_minute: 1_000_000_000 };
    return ((await node.operate('keys.create', { account_id: id, name, ...limits })) as { secret: string }).secret;
  };
  const providers = MODELS.flatMap((model) => [`p-${model}`, `pgw/g-${model}`]);
  for (const model of MODELS) {
    const gateway = { slug: `g-${model}`, name: 'Lab', base_url: url, credential: GATEWAY_CREDENTIAL };
    await node.operate('gateways.add', gateway);
  }
  const nano = {
    input_nano: '10',
    cached_input_nano: '1',
    output_nano: '20',
    request_nano: '0',
    image_nano: '0',
    audio_nano: '0',
  };
  const prices = MODELS.flatMap((model) =>
    providers.map((provider) => ({ provider, model, currency: 'USD', effective_from_ms: 0, ...nano })),
  );
  await node.operate('prices.import', { prices });
  return { key: await keyOf('first'), second: await keyOf('second') };
}

/** The next path of a model: that of a provider, then that of a gateway. */
function createPaths(): (model: string, api: string) => string {
  let asked = 0;
  return (model, api) => (asked++ % 2 === 0 ? `/p-${model}/v1/${api}` : `/pgw/g-${model}/v1/${api}`);
}

/** Each answer has all metrics of the node: reading it ten times a second is often enough. */
const SELDOM = { ...SOON, interval: 100 };

async function metricsOf(node: ServedNode, names: readonly string[]): Promise<readonly number[]> {
  const text = await (await fetch(`http://127.0.0.1:${node.port}/metrics`)).text();
  return names.map((name) => Number(new RegExp(`^troupe_hosted_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN));
}

/** Each request is over and settled; one that its client left is read on for a while. */
async function settled(node: ServedNode): Promise<void> {
  const names = ['relayed_running', 'read_on_running', 'settling', 'outbox_depth'];
  await expect.poll(() => metricsOf(node, names), SELDOM).toEqual(names.map(() => 0));
}

async function answerOf(node: ServedNode, key: string, path: string): Promise<string> {
  const init = { method: 'POST', headers: keyHeaders(key), body: canaryBody(canaries, 'good') };
  return (await fetch(`http://127.0.0.1:${node.port}${path}/v1/chat/completions`, init)).text();
}

/** Begins streams that do not end, and gives what leaves them. */
async function beginStreams(node: ServedNode, key: string, count: number): Promise<() => void> {
  const leaving = new AbortController();
  const body = canaryBody(canaries, 'aborted', { stream: true });
  const init = { method: 'POST', headers: keyHeaders(key), body, signal: leaving.signal };
  const url = `http://127.0.0.1:${node.port}/p-aborted/v1/chat/completions`;
  const answers = await Promise.all(Array.from({ length: count }, () => fetch(url, init)));
  for (const { status } of answers) expect(status).toBe(200);
  return () => leaving.abort();
}

const postgres = postgresDatabases();
afterAll(() => postgres.close());
const kinds = ['SQLite', ...(noPostgres === undefined ? ['PostgreSQL'] : [])] as const;

describe.each(kinds)(`hosted-api on %s (PostgreSQL: ${noPostgres ?? 'here'}; Valkey: ${noRedis ?? 'here'})`, (kind) => {
  it('keeps nothing of 1,000 requests, good and bad', async () => {
    await using upstream = await startFaulty(faults, MODELS);
    const folder = mkdtempSync(join(tmpdir(), 'retention-'));
    const isShared = kind === 'PostgreSQL';
    const valkey = isShared && noRedis === undefined ? await startRedis() : undefined;
    const databaseUrl = isShared ? await postgres.freshUrl() : undefined;
    const file = fileOf(upstream.url, {
      ...(databaseUrl !== undefined && { database: { postgres: { url: inVault('database', databaseUrl) } } }),
      ...(valkey !== undefined && { valkey: { url: inVault('valkey', valkey.url) } }),
    });
    try {
      await using node = await serveNode(folder, file);
      const { key, second } = await prepare(node, upstream.url);
      const target = { port: node.port, key, mistyped: MISTYPED, pathOf: createPaths() };
      expect(await sendCanaries(target, canaries, MODELS)).toBeGreaterThanOrEqual(1_000);
      await settled(node);
      // They came where they were to be kept, and what was answered came back.
      for (const model of MODELS) expect([model, (upstream.asked.get(model) ?? 0) >= 5]).toEqual([model, true]);
      expect(upstream.asked.get('good')).toBeGreaterThan(150);
      for (const path of ['/p-good', '/pgw/g-good']) expect(await answerOf(node, key, path)).toContain(canaries.answer);

      const needles = [...Object.values(canaries), GATEWAY_CREDENTIAL, SERVICE_SECRET, MISTYPED, key, second];
      const { hits, search, searchFiles } = findNeedles(needles);
      const searchAll = async (): Promise<void> => {
        const files = searchFiles(folder);
        // What may be there is found: the search reads what was written.
        if (!isShared) expect(files.some((path) => readFileSync(path, 'latin1').includes(key.slice(0, 10)))).toBe(true);
        if (valkey !== undefined) search('Valkey', await dumpValkey(valkey.url));
        if (databaseUrl === undefined) return;
        searchFiles((await postgres.server()).directory);
        await using database = await postgres.open(databaseUrl);
        const tables = await dumpPostgres(database);
        expect([...tables.values()].some((rows) => rows.includes(key.slice(0, 10)))).toBe(true);
        for (const [name, rows] of tables) search(`table ${name}`, rows);
      };
      await searchAll();
      await searchAnswers(node, { key, second }, search);
      if (isShared) await searchOutbox(node, key, () => void searchFiles(folder));
      node.child.kill('SIGTERM');
      expect(await node.ended).toBe(0);
      search('the log', node.output());
      expect(node.output().split('\n').length).toBeGreaterThan(1_000);
      await searchAll();

      // Once more after a crash in the middle of streams, as far as the process lets dumps be made.
      await using crashing = await serveNode(folder, file);
      await beginStreams(crashing, key, 5);
      expect(readFileSync(`/proc/${crashing.child.pid}/limits`, 'utf8')).toMatch(/^Max core file size\s+0\s/m);
      crashing.child.kill('SIGABRT');
      expect(await crashing.ended).toBe('SIGABRT');
      expect(readdirSync(folder).filter((name) => /core/i.test(name))).toEqual([]);
      search('the log of the crash', crashing.output());
      await searchAll();
      expect(hits).toEqual([]);
    } finally {
      await valkey?.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** The node's answers to all other clients: account API, catalog, metrics, errors, the operator's operations. */
async function searchAnswers(
  node: ServedNode,
  { key, second }: { readonly key: string; readonly second: string },
  search: (where: string, text: string) => void,
): Promise<void> {
  const ask = async (path: string, init: RequestInit = {}): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${node.port}${path}`, init);
    search(`${path} (${answer.status})`, JSON.stringify([...answer.headers]) + (await answer.text()));
  };
  for (const path of ['/metrics', '/health', '/ready', '/openapi.json', '/account/', '/nothing']) await ask(path);
  for (const headers of [keyHeaders(key), keyHeaders(second)]) {
    for (const path of ['balance', 'usage', 'usage?group_by=model', 'generations?limit=1000', 'keys', 'catalog', 'x'])
      await ask(`/v1/${path}`, { headers });
    for (const path of ['/p-good/v1/models', '/pgw/g-good/v1/models', '/pgw/none/v1/models'])
      await ask(path, { headers });
    for (const text of ['', 'x', '{}', '{"model":"none"}', '{"model":"not-http"}', '{"model":"reset","model":"x"}'])
      await ask('/p-not-http/v1/chat/completions', { method: 'POST', headers, body: text });
  }
  await ask('/p-good/v1/chat/completions', { method: 'POST', body: '{}' });
  const lists = ['accounts.list', 'gateways.list', 'prices.list', 'ledger.verify'] as const;
  for (const operation of lists) search(operation, JSON.stringify(await node.operate(operation)));
  search('ledger.export', JSON.stringify(await node.operate('ledger.export').catch(() => '')));
  for (const path of ['/', '/operator/accounts.list', '/operator/none'])
    search(`operator ${path}`, await (await fetch(node.operatorUrl + path)).text());
}

/** Settlements of streams that end while the database is away wait on the disk, and are searched there. */
async function searchOutbox(node: ServedNode, key: string, searchFolder: () => void): Promise<void> {
  const server = await postgres.server();
  await settled(node);
  const leave = await beginStreams(node, key, 10);
  await server.halt('crash');
  leave();
  await expect.poll(() => metricsOf(node, ['outbox_depth']), SELDOM).toEqual([10]);
  searchFolder();
  await server.start();
  await expect.poll(() => metricsOf(node, ['outbox_depth']), SELDOM).toEqual([0]);
}
