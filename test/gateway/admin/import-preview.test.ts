// An import of findings shows the lines that it writes before it writes them.
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imitations } from '../imitations/index.js';
import { serveImitation, type Served } from '../imitations/serve.js';
import { readEvents, startAdmin, type Answered, type StartedAdmin } from './start-admin.js';

interface Preview {
  readonly config_etag: string;
  readonly diff: {
    readonly added: number;
    readonly removed: number;
    readonly hunks: readonly (readonly { kind: string; text: string }[])[];
  };
}

describe('the preview of an import', () => {
  let admin: StartedAdmin;
  let ollama: Served;
  let id = '';
  beforeAll(async () => {
    ollama = await serveImitation(imitations.ollama);
    admin = await startAdmin();
    const { path: file, gateway } = admin.started;
    writeFileSync(file, `# Mine.\n${readFileSync(file, 'utf8')}`);
    await gateway.reload();
    const body = { range: '127.0.0.1', ports: [ollama.port], timeout_s: 20 };
    const started = (await admin.script('POST', '/admin/api/scans', { body })).json as { scan: { id: string } };
    ({ id } = started.scan);
    const path = `/admin/api/scans/${id}/events`;
    const types: unknown[] = [];
    const headers = { authorization: `Bearer ${admin.token}` };
    for await (const event of readEvents(admin.adminPort, path, headers)) types.push(event['type']);
    expect(types.at(-1)).toBe('end');
  });
  afterAll(async () => {
    await admin[Symbol.asyncDispose]();
    await ollama[Symbol.asyncDispose]();
  });

  const text = (): string => readFileSync(admin.started.path, 'utf8');
  const etagNow = async (): Promise<string> =>
    ((await admin.script('GET', '/admin/api/config')).json as { etag: string }).etag;
  const take = (etag: string, more: object): Promise<Answered> =>
    admin.script('POST', `/admin/api/scans/${id}/import`, {
      body: { urls: [ollama.url], ...more },
      headers: { 'if-match': etag },
    });
  const imports = (): number =>
    admin.started.meter.audit.read({ limit: 500 }).filter(({ action }) => action === 'runtime.import').length;

  it('shows the lines and the etag, writes nothing, and leaves no entry of a change', async () => {
    const [before, etag] = [text(), await etagNow()];
    const got = await take(etag, { preview: true });
    expect(got.status).toBe(200);
    expect(got.json).toMatchObject({
      written: false,
      config_etag: etag,
      runtimes: ['ollama'],
      models: ['llama3:8b'],
      left_out: 0,
    });
    const { diff } = got.json as Preview;
    const added = diff.hunks.flat().filter(({ kind }) => kind === '+');
    expect(added.map((line) => line.text).join('\n')).toContain(ollama.url);
    expect([text(), await etagNow(), imports()]).toEqual([before, etag, 0]);
    expect((await admin.script('GET', '/admin/api/runtimes')).json).toMatchObject({ data: [] });
  });

  it('is refused for a file that was changed meanwhile, and the import writes the lines of the next preview', async () => {
    const old = await etagNow();
    writeFileSync(admin.started.path, `# Of somebody else.\n${text()}`);
    await admin.started.gateway.reload();
    for (const preview of [true, false])
      expect([preview, (await take(old, { preview })).status]).toEqual([preview, 412]);
    const shown = (await take(await etagNow(), { preview: true })).json as Preview;
    const before = text();
    const written = await take(shown.config_etag, {});
    expect(written.json).toMatchObject({ written: true, in_use: true, diff: shown.diff });
    expect(text()).toMatch(/^# Of somebody else\.\n# Mine\.\n/);
    const { added, removed } = shown.diff;
    expect(text().split('\n').length - before.split('\n').length).toBe(added - removed);
    expect(imports()).toBe(1);
  });
});
