// The admin API as an operator uses it: every section, what is changed and by whom, and two who change one thing.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from '../../../src/base/index.js';
import { sections } from '../../../src/gateway/admin/routes/index.js';
import { Compile } from '../../../src/schema/index.js';
import { always, completion, startRuntime, type TestRuntime } from '../serving/runtime.js';
import { chat, makeKey, modelOf, runtimeAt } from '../serving/start-gateway.js';
import { readEvents, startAdmin, type Answered, type StartedAdmin } from './start-admin.js';

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly etag: string;
}

let runtime: TestRuntime;
let admin: StartedAdmin;
const key = makeKey('vk_a', { limits: { requests_per_minute: 100, budget: { tokens: 10_000, window: 'day' } } });
const price = { input_per_million: '1000', output_per_million: '2000', currency: 'EUR' };

beforeAll(async () => {
  runtime = await startRuntime(always(completion(3, 2)));
  const models = [modelOf({ price }), modelOf({ id: 'org/model' })];
  admin = await startAdmin({ runtimes: [runtimeAt(runtime.url)], virtual_keys: [key.entry], models });
  for (let i = 0; i < 3; i++) await chat(admin.started, key);
  await chat(admin.started, key, { model: 'none' });
});

afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await runtime[Symbol.asyncDispose]();
});

const codeOf = ({ json }: Answered): unknown => (json as { error?: { code?: unknown } } | undefined)?.error?.code;
const get = async <T>(path: string): Promise<T> => {
  const got = await admin.script('GET', path);
  expect([path, got.status]).toEqual([path, 200]);
  return got.json as T;
};
const configEtag = async (): Promise<string> => (await get<{ etag: string }>('/admin/api/config')).etag;
const lastEntry = () => present(admin.started.meter.audit.read({ limit: 1 }).at(-1), 'there is an entry');

it.each([
  ['requests', '', { key_id: 'vk_a', key_name: 'vk_a', status: '200', error_code: '' }],
  ['requests', '?status=404', { key_name: 'vk_a', status: '404', error_code: 'model_not_found' }],
  ['usage', '?by=key', { key_id: 'vk_a', key_name: 'vk_a', currency: 'EUR' }],
])('exports %s%s as CSV, with the names of keys', async (name, query, parts) => {
  const { status, headers, text } = await admin.script('GET', `/admin/api/${name}/export${query}`);
  expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  const [head = '', ...lines] = text.trimEnd().split(/\r?\n/);
  const rows = lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [head.split(',')[i], cell])));
  expect(rows).toContainEqual(expect.objectContaining(parts));
});

it('answers every read as its schema says, and describes every endpoint', async () => {
  const document = (await admin.raw('GET', '/admin/openapi.json')).json as {
    paths: Record<string, Record<string, object>>;
  };
  const routes = Object.values(sections).flat();
  expect(Object.keys(document.paths).length).toBeGreaterThan(30);
  for (const { method, path } of routes) expect(document.paths[path]).toHaveProperty(method.toLowerCase());
  const scan = (await admin.script('POST', '/admin/api/scans', { body: { range: '127.0.0.1', ports: [1] } })).json as {
    scan: { id: string };
  };
  const ids: Record<string, string> = { keys: 'vk_a', scans: scan.scan.id, requests: '1' };
  const queries: Record<string, string> = {
    '/admin/api/usage': '?by=day',
    '/admin/api/metrics': '?from=2026-01-01&step=day',
    '/admin/api/metrics/breakdown': '?from=2026-01-01&by=status',
  };
  let checked = 0;
  for (const { method, path, response } of routes) {
    if (method !== 'GET' || response === undefined || /events|export|versions\/|\/models\/\{|\/runtimes\/\{/.test(path))
      continue;
    const section = path.split('/')[3] ?? '';
    const asked = path.replace(/\{\w+\}/, ids[section] ?? 'x') + (queries[path] ?? '');
    const { json } = await admin.script('GET', asked);
    const validator = Compile(response);
    expect([asked, [...validator.Errors(json)].slice(0, 2)]).toEqual([asked, []]);
    checked++;
  }
  expect(checked).toBeGreaterThan(15);
});

describe('keys', () => {
  it('are made with a line of curl that works, and shown once', async () => {
    const made = await admin.script('POST', '/admin/api/keys', {
      body: { name: 'made', models: ['demo'], expires_at: '2036-01-01', limits: { parallel_requests: 2 } },
    });
    const { secret, curl, key: shown } = made.json as { secret: string; curl: string; key: Shown };
    expect(curl).toContain(`'Authorization: Bearer ${secret}'`);
    expect(curl).toContain('"model":"demo"');
    expect((await admin.script('GET', `/admin/api/keys/${shown.id}`)).text).not.toContain(secret.slice(11));
    expect((await admin.script('GET', '/admin/api/audit')).text).not.toContain(secret.slice(11, 40));
    expect(lastEntry()).toMatchObject({
      action: 'key.create',
      actor: 'admin:token@127.0.0.1',
      target: `key:${shown.id}`,
    });
    const used = { entry: {}, secret, headers: { authorization: `Bearer ${secret}` } };
    expect((await chat(admin.started, used)).status).toBe(200);
  });

  it('come in pages by every order and both directions, each once', async () => {
    for (let i = 0; i < 25; i++)
      await admin.script('POST', '/admin/api/keys', { body: { name: `page ${i % 7} ${i}` } });
    const all = admin.started.meter.keys().map(({ id }) => id);
    for (const sort of ['created', 'name', 'last_used', 'tokens']) {
      const found: string[][] = [];
      for (const order of ['asc', 'desc']) {
        const ids: string[] = [];
        let cursor: string | null = '';
        while (cursor !== null) {
          const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
          const page: { data: Shown[]; next_cursor: string | null; total: number } = await get(
            `/admin/api/keys?limit=4&sort=${sort}&order=${order}${more}`,
          );
          expect(page.total).toBe(all.length);
          ids.push(...page.data.map(({ id }) => id));
          cursor = page.next_cursor;
        }
        expect([sort, ids.toSorted()]).toEqual([sort, all.toSorted()]);
        found.push(ids);
      }
      expect([sort, found[0]]).toEqual([sort, found[1]?.toReversed()]);
    }
    const searched = await get<{ data: Shown[]; total: number }>('/admin/api/keys?search=PAGE%203&limit=2');
    expect([searched.total, searched.data.length]).toEqual([4, 2]);
    expect((await get<{ total: number }>('/admin/api/keys?origin=file')).total).toBe(1);
    expect((await get<{ total: number }>('/admin/api/keys?state=disabled')).total).toBe(0);
    for (const query of ['cursor=x', 'limit=0', 'limit=201', 'sort=hash', 'serach=x', 'limit=1&limit=2']) {
      expect([query, (await admin.script('GET', `/admin/api/keys?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('show every limit with what is used of it now, and when they were used last', async () => {
    const { key: shown } = await get<{ key: Record<string, unknown> }>('/admin/api/keys/vk_a');
    expect(shown).toMatchObject({
      origin: 'file',
      state: 'active',
      limits: {
        requests_per_minute: 100,
        running_requests: 0,
        budgets: [{ unit: 'tokens', window: 'day', limit: 10_000, used: 15, held: 0 }],
      },
      used: { day_tokens: 15, month_tokens: 15, total_tokens: 15 },
    });
    expect(shown['last_used_at']).not.toBeNull();
  });

  it('are changed by a session that has read them, and by no other', async () => {
    const { key: shown } = (await admin.script('POST', '/admin/api/keys', { body: { name: 'edited' } })).json as {
      key: Shown;
    };
    const path = `/admin/api/keys/${shown.id}`;
    const change = (body: object, etag?: string): Promise<Answered> =>
      admin.script('PATCH', path, { body, ...(etag !== undefined && { headers: { 'if-match': `"${etag}"` } }) });
    expect([(await change({ name: 'a' })).status, codeOf(await change({ name: 'a' }))]).toEqual([428, 'etag_missing']);
    const first = await change({ models: ['demo'], limits: { tokens_per_minute: 50 } }, shown.etag);
    expect([first.status, (first.json as { key: object }).key]).toMatchObject([
      200,
      { models: ['demo'], limits: { tokens_per_minute: 50 } },
    ]);
    const late = await change({ name: 'late' }, shown.etag);
    expect([late.status, codeOf(late)]).toEqual([412, 'etag_mismatch']);
    const { etag } = (first.json as { key: Shown }).key;
    expect(first.headers['etag']).toBe(`"${etag}"`);
    expect((await change({ models: null, limits: {} }, etag)).json).toMatchObject({
      key: { models: null, limits: { tokens_per_minute: null } },
    });
    const wrong = [
      {},
      { nmae: 'x' },
      { models: ['not there'] },
      { limits: { requests_per_minute: 0 } },
      { limits: { rpm: 1 } },
      { expires_at: 'soon' },
    ];
    const now = ((await admin.script('GET', path)).json as { key: Shown }).key.etag;
    for (const body of wrong)
      expect([JSON.stringify(body), (await change(body, now)).status]).toEqual([JSON.stringify(body), 400]);
    expect((await admin.script('PATCH', '/admin/api/keys/vk_none', { body: { name: 'x' } })).status).toBe(404);
  });

  it('of the file are changed in the file, whose comments stay', async () => {
    const { key: shown } = await get<{ key: Shown }>('/admin/api/keys/vk_a');
    const got = await admin.script('PATCH', '/admin/api/keys/vk_a', {
      body: { name: 'renamed', expires_at: '2036-01-01T00:00:00Z' },
      headers: { 'if-match': shown.etag },
    });
    expect([got.status, got.json]).toMatchObject([
      200,
      { key: { name: 'renamed', origin: 'file', expires_at: '2036-01-01T00:00:00.000Z' } },
    ]);
    expect(readFileSync(admin.started.path, 'utf8')).toContain('renamed');
  });

  it('rotate, are disabled, enabled and revoked', async () => {
    const { key: shown } = (await admin.script('POST', '/admin/api/keys', { body: { name: 'turned' } })).json as {
      key: Shown;
    };
    const path = `/admin/api/keys/${shown.id}`;
    const rotated = await admin.script('POST', `${path}/rotate`, { body: { grace_s: 60 } });
    expect(rotated.json).toMatchObject({
      secret: expect.stringMatching(/^gwk_/) as string,
      key: { grace_until: expect.any(String) as string },
    });
    for (const state of ['disabled', 'active', 'revoked']) {
      expect((await admin.script('POST', `${path}/state`, { body: { state } })).json).toMatchObject({ key: { state } });
    }
    expect((await admin.script('POST', `${path}/state`, { body: { state: 'active' } })).status).toBe(400);
  });
});

describe('models', () => {
  it('are tried without a trace of what was said, and are shown with how their targets do', async () => {
    const said = `canary ${crypto.randomUUID()}`;
    const got = await admin.script('POST', '/admin/api/models/demo/try', { body: { message: said, max_tokens: 5 } });
    expect(got.json).toMatchObject({
      status: 200,
      runtime: 'r',
      upstream_model: 'up',
      text: 'Hi',
      prompt_tokens: 3,
      completion_tokens: 2,
    });
    expect(runtime.asked.at(-1)?.body).toContain(said);
    expect(lastEntry()).toMatchObject({ action: 'model.try', target: 'model:demo', diff: '{}' });
    const models = await get<{ data: { id: string; targets: object[] }[] }>('/admin/api/models');
    expect(models.data[0]).toMatchObject({
      id: 'demo',
      price,
      targets: [{ runtime: 'r', healthy: true, breaker: 'closed', running: 0 }],
    });
    expect((await admin.script('POST', '/admin/api/models/org%2Fmodel/try', { body: { message: 'x' } })).status).toBe(
      200,
    );
    expect((await admin.script('POST', '/admin/api/models/none/try', { body: { message: 'x' } })).status).toBe(404);
  });

  it('are added, changed and removed in the file', async () => {
    const path = '/admin/api/models/second';
    const headers = async (): Promise<{ headers: Record<string, string> }> => ({
      headers: { 'if-match': await configEtag() },
    });
    const body = { id: 'second', targets: [{ runtime: 'r', model: 'up2', weight: 3, order: 1 }] };
    const made = await admin.script('POST', '/admin/api/models', { body, ...(await headers()) });
    expect(made.json).toMatchObject({ in_use: true, refused: null, needs_restart: [] });
    expect((await admin.script('POST', '/admin/api/models', { body, ...(await headers()) })).status).toBe(400);
    const changed = await admin.script('PATCH', path, { body: { price, max_output_tokens: 7 }, ...(await headers()) });
    expect(changed.json).toMatchObject({ in_use: true });
    const shown = await get<{ data: { id: string }[] }>('/admin/api/models');
    expect(shown.data.find(({ id }) => id === 'second')).toMatchObject({
      price,
      max_output_tokens: 7,
      targets: [{ weight: 3, order: 1 }],
    });
    expect((await admin.script('PATCH', path, { body: { price: null }, ...(await headers()) })).status).toBe(200);
    expect((await admin.script('PATCH', path, { body: { price: null }, headers: { 'if-match': 'old' } })).status).toBe(
      412,
    );
    expect((await admin.script('DELETE', path, await headers())).status).toBe(200);
    expect((await get<{ data: { id: string }[] }>('/admin/api/models')).data.map(({ id }) => id)).toEqual([
      'demo',
      'org/model',
    ]);
  });
});

describe('the configuration', () => {
  it('is checked as it is typed, written by etag, taken up, and restored', async () => {
    const before = await get<{ text: string; etag: string }>('/admin/api/config');
    const text = `# a comment\n${before.text}`;
    const checked = await admin.script('POST', '/admin/api/config/validate', { body: { text } });
    expect(checked.json).toMatchObject({ valid: true, problems: [], diff: { added: 1, removed: 0 } });
    const broken = await admin.script('POST', '/admin/api/config/validate', {
      body: { text: 'gateway_id: gw_a\nlisten: 5\n' },
    });
    expect(broken.json).toMatchObject({ valid: false, problems: [{ line: 2, column: 9, field: 'listen' }] });
    const headers = { 'if-match': `"${before.etag}"` };
    const refused = await admin.script('PUT', '/admin/api/config', { body: { text: 'listen: 5' }, headers });
    expect([refused.status, codeOf(refused)]).toEqual([400, 'config_refused']);
    const written = await admin.script('PUT', '/admin/api/config', { body: { text }, headers });
    expect([written.status, written.json]).toMatchObject([200, { written: true, in_use: true, diff: { added: 1 } }]);
    expect(readFileSync(admin.started.path, 'utf8')).toBe(text);
    const late = await admin.script('PUT', '/admin/api/config', { body: { text: before.text }, headers });
    expect([late.status, codeOf(late), readFileSync(admin.started.path, 'utf8')]).toEqual([412, 'etag_mismatch', text]);
    const versions = await get<{ data: { id: string }[] }>('/admin/api/config/versions');
    const { id } = present(versions.data[0], 'the text before was kept');
    expect(await get(`/admin/api/config/versions/${id}`)).toMatchObject({
      text: before.text,
      valid: true,
      diff: { removed: 1 },
    });
    const etag = await configEtag();
    const restored = await admin.script('POST', `/admin/api/config/versions/${id}/restore`, {
      headers: { 'if-match': etag },
    });
    expect(restored.json).toMatchObject({ text: before.text, in_use: true });
    for (const bad of ['..', '%2e%2e%2fgateway.yaml', 'x', '20200101T000000Z']) {
      expect([bad, (await admin.script('GET', `/admin/api/config/versions/${bad}`)).status]).toEqual([bad, 404]);
    }
    const entries = admin.started.meter.audit.read({ limit: 100 }).filter(({ action }) => action.startsWith('config.'));
    expect(entries.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual(
      expect.arrayContaining(['config.write ok', 'config.restore ok', 'config.reload ok']),
    );
  });

  it('is edited by its form with a preview first, and comments stay', async () => {
    const commented = `# mine\n${(await get<{ text: string }>('/admin/api/config')).text}`;
    await admin.script('PUT', '/admin/api/config', {
      body: { text: commented },
      headers: { 'if-match': await configEtag() },
    });
    const edits = [{ action: 'set', field: 'limits', value: { request_s: 400 } }];
    const headers = { 'if-match': await configEtag() };
    const preview = await admin.script('POST', '/admin/api/config/edits', { body: { edits, preview: true }, headers });
    expect(preview.json).toMatchObject({ written: false, text: expect.stringContaining('request_s') as string });
    expect(readFileSync(admin.started.path, 'utf8')).not.toContain('request_s');
    const made = await admin.script('POST', '/admin/api/config/edits', { body: { edits }, headers });
    expect(made.json).toMatchObject({ written: true, in_use: true });
    expect(readFileSync(admin.started.path, 'utf8')).toMatch(/^# mine\n[^]*request_s/);
    const wrong = [
      { action: 'set', field: 'gateway_id', value: 'gw_x' },
      { action: 'remove', list: 'models', id: 'none' },
      { action: 'set', field: 'limits', value: { drain_s: -1 } },
    ];
    for (const edit of wrong) {
      const got = await admin.script('POST', '/admin/api/config/edits', {
        body: { edits: [edit] },
        headers: { 'if-match': await configEtag() },
      });
      expect([JSON.stringify(edit), got.status]).toEqual([JSON.stringify(edit), 400]);
    }
  });

  it('that an editor changes meanwhile is not written over', async () => {
    const etag = await configEtag();
    const theirs = `${readFileSync(admin.started.path, 'utf8')}\n# by hand\n`;
    writeFileSync(admin.started.path, theirs);
    const edits = [{ action: 'set', field: 'limits', value: {} }];
    expect(
      (await admin.script('POST', '/admin/api/config/edits', { body: { edits }, headers: { 'if-match': etag } }))
        .status,
    ).toBe(412);
    expect(readFileSync(admin.started.path, 'utf8')).toBe(theirs);
  });

  it('keeps no more than a hundred versions', async () => {
    const directory = admin.started.path.replace('/gateway.yaml', '');
    for (let i = 0; i < 120; i++) {
      const time = `${String(Math.floor(i / 60)).padStart(2, '0')}${String(i % 60).padStart(2, '0')}`;
      writeFileSync(`${admin.started.path}.bak-20200101T00${time}Z`, '#');
    }
    writeFileSync(`${admin.started.path}.bak-mine`, '#');
    const text = `${readFileSync(admin.started.path, 'utf8')}\n# once more\n`;
    await admin.script('PUT', '/admin/api/config', { body: { text }, headers: { 'if-match': await configEtag() } });
    const kept = readdirSync(directory).filter((name) => name.includes('.bak-'));
    expect([kept.length, kept.includes('gateway.yaml.bak-mine')]).toEqual([101, true]);
    expect((await get<{ data: object[] }>('/admin/api/config/versions')).data).toHaveLength(100);
  });
});

describe('what happened', () => {
  it('lists requests, with filters that agree with a walk of all rows', async () => {
    type Page = {
      data: { seq: number; status: number; model: string | null; error_code: string | null }[];
      next_cursor: string | null;
    };
    const all = (await get<Page>('/admin/api/requests?limit=200')).data;
    expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).toSorted((a, b) => b - a));
    const failed = await get<Page>('/admin/api/requests?failed=true');
    expect(failed.data.map(({ seq }) => seq)).toEqual(all.filter(({ status }) => status >= 400).map(({ seq }) => seq));
    expect(failed.data.map(({ error_code }) => error_code)).toContain('model_not_found');
    const paged: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await get(`/admin/api/requests?limit=1&order=asc${cursor === '' ? '' : `&cursor=${cursor}`}`);
      paged.push(...page.data.map(({ seq }) => seq));
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all.map(({ seq }) => seq).toReversed());
    const one = await get<{ timeline: { event: string; at_ms: number }[]; request: { seq: number } }>(
      '/admin/api/requests/1',
    );
    expect(one.timeline.map(({ event }) => event)).toEqual(['received', 'admitted', 'first_byte', 'ended']);
    expect((await admin.script('GET', '/admin/api/requests/999999')).status).toBe(404);
  });

  it('is summed by day, key and model, with what it cost', async () => {
    const usage = await get<{ data: { name: string; requests: number; cost: string | null }[] }>(
      '/admin/api/usage?by=key',
    );
    expect(usage.data.find(({ name }) => name === 'vk_a')).toMatchObject({
      requests: 3,
      charged_tokens: 15,
      cost: '0.021',
      currency: 'EUR',
    });
    const top = await get<{ data: { key_id: string; tokens: number }[]; tokens: number }>(
      '/admin/api/usage/top-keys?window=month',
    );
    expect(top.data[0]).toMatchObject({ key_id: 'vk_a', tokens: 15, spend: [{ currency: 'EUR', amount: '0.021' }] });
    const chart = await get<{ total: { requests: number }; spend: object[]; complete: boolean }>(
      '/admin/api/metrics?from=2026-01-01&step=day',
    );
    const rows = admin.started.meter.requests({ limit: 1_000 });
    expect(chart).toMatchObject({ complete: true, total: { requests: rows.length } });
    expect(chart.spend).toHaveLength(1);
    expect((await admin.script('GET', '/admin/api/metrics?from=2020-01-01&step=minute')).status).toBe(400);
    // A chart of a key tells outcomes and times, as the others do.
    const ofKey = await get<{ step: string; total: Readonly<Record<string, number>>; spend: object[] }>(
      '/admin/api/metrics?from=2026-01-01&key_id=vk_a',
    );
    const own = rows.filter(({ keyId }) => keyId === 'vk_a');
    const isAnswered = ({ status = 0 }): boolean => status >= 200 && status < 400;
    const { step, total, spend } = ofKey;
    expect(step).toBe('day');
    expect(total).toMatchObject({ requests: own.length, answered: own.filter(isAnswered).length });
    expect([total['answered'], total['duration_p95_ms'], spend.length]).toEqual([3, expect.any(Number), 1]);
    expect((await admin.script('GET', '/admin/api/metrics?from=2026-01-01&key_id=vk_a&step=hour')).status).toBe(400);
  });

  it('is in the audit log with who did it, which is filtered, verified and exported', async () => {
    const page = await admin.signIn();
    await page.ask('POST', '/admin/api/keys', { body: { name: 'by a page' } });
    const entries = await get<{ data: { actor: string; action: string }[] }>('/admin/api/audit?action=key.&limit=1');
    expect(entries.data).toEqual([
      expect.objectContaining({
        action: 'key.create',
        actor: expect.stringMatching(/^admin:[0-9a-f]{12}@127\.0\.0\.1$/) as string,
      }),
    ]);
    const all = admin.started.meter.audit.read({ limit: 10_000 });
    const seqs: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const part: { data: { seq: number }[]; next_cursor: string | null } = await get(
        `/admin/api/audit?limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seqs.push(...part.data.map(({ seq }) => seq));
      cursor = part.next_cursor;
    }
    expect(seqs).toEqual(all.map(({ seq }) => seq).toReversed());
    expect((await admin.script('POST', '/admin/api/audit/verify')).json).toEqual({
      ok: true,
      entries: all.length,
      first_bad: null,
    });
    const lines = (await admin.script('GET', '/admin/api/audit/export')).text.trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ entries: all.length + 1 });
    expect(lines).toHaveLength(all.length + 2);
  });

  it('comes as a live stream', async () => {
    const page = await admin.signIn();
    for await (const event of readEvents(admin.adminPort, '/admin/api/overview/events', page.headers)) {
      expect(event).toMatchObject({
        type: 'overview',
        overview: { runtimes: [{ id: 'r', healthy: true }], config: { in_use: true } },
      });
      break;
    }
    expect(await get('/admin/api/health')).toMatchObject({ status: 'ok' });
    const system = await get<{ tree: { children: { id: string }[] }; disk: { files: { name: string }[] } }>(
      '/admin/api/system',
    );
    expect(system.tree.children.map(({ id }) => id)).toEqual([
      'ledger',
      'audit',
      'discovery',
      'control',
      'probes',
      'relays',
      'admin',
    ]);
    expect(system.disk.files.map(({ name }) => name)).toContain('metering.sqlite');
  });
});

it('drains: clients are refused, the operator is not', async () => {
  await using other = await startAdmin();
  const got = await other.script('POST', '/admin/api/system/drain', { body: { grace_s: 0 } });
  expect(got.json).toEqual({ drain: 'draining' });
  await expect
    .poll(async () => ((await other.script('GET', '/admin/api/system')).json as { drain: string }).drain, {
      timeout: 120_000,
    })
    .toBe('drained');
  expect((await other.script('GET', '/admin/api/keys')).status).toBe(200);
});
