import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPageFiles } from '../../src/endpoint/index.js';
import { startServing, type Serving } from './serving.js';

/** What issue and policy of the project allow the page: all that a browser loads, compressed. */
const MAX_GZIP_BYTES = 60 * 1024;
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

let serving: Serving;
beforeAll(async () => {
  serving = await startServing();
});
afterAll(() => serving[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(serving.url + path, { method, headers });

describe('GET /', () => {
  it('is the page for a browser, with a policy that allows nothing from elsewhere', async () => {
    const response = await get('/', { accept: BROWSER });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('vary')).toBe('accept');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const html = await response.text();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//);
  });

  it('is not sent again to a browser that has it', async () => {
    const etag = (await get('/', { accept: BROWSER })).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const response = await get('/', { accept: BROWSER, 'if-none-match': known });
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await get('/', { accept: BROWSER, 'if-none-match': '"x"' })).status).toBe(200);
  });

  it("is Ollama's word for everybody else", async () => {
    for (const accept of ['*/*', 'application/json', 'text/plain', 'text/html;q=0', 'text/html; q=0.0, */*']) {
      const response = await get('/', { accept });
      expect([response.headers.get('content-type'), await response.text()]).toEqual([
        'text/plain; charset=utf-8',
        'Ollama is running',
      ]);
    }
  });

  it('answers HEAD without a body, with the headers of both', async () => {
    const page = await get('/', { accept: BROWSER }, 'HEAD');
    const text = await get('/', { accept: '*/*' }, 'HEAD');
    expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
      200,
      'text/html; charset=utf-8',
      '',
    ]);
    expect([text.status, text.headers.get('content-length'), await text.text()]).toEqual([200, '17', '']);
  });
});

describe('what the page loads', () => {
  it('is 60 KB at most, compressed, and under names that change with it', async () => {
    const html = await (await get('/', { accept: BROWSER })).text();
    const paths = Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, path = '']) => path);
    expect(paths).toHaveLength(3);
    let bytes = gzipSync(html).length;
    for (const path of [...paths, '/service-worker.js']) {
      const response = await get(path);
      const body = Buffer.from(await response.arrayBuffer());
      expect(response.status, path).toBe(200);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      if (path !== '/service-worker.js') {
        expect(path).toMatch(/^\/assets\/\w+-[\w-]{8}\.(?:js|css|svg)$/);
        expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      }
      bytes += gzipSync(body).length;
    }
    expect(bytes).toBeLessThanOrEqual(MAX_GZIP_BYTES);
    const names = readdirSync('dist/pages/chat/assets').map((name) => `/assets/${name}`);
    expect(names.toSorted()).toEqual(paths.toSorted());
  });

  it('has the type of its kind', async () => {
    const types = await Promise.all(
      readdirSync('dist/pages/chat/assets').map(async (name) => [
        name.split('.').at(-1),
        (await get(`/assets/${name}`)).headers.get('content-type'),
      ]),
    );
    expect(Object.fromEntries(types)).toEqual({
      css: 'text/css; charset=utf-8',
      js: 'text/javascript; charset=utf-8',
      svg: 'image/svg+xml',
    });
  });

  it('is nothing else, also by paths that lead out of its folder', async () => {
    for (const path of [
      '/assets/none.js',
      '/assets/..%2Findex.html',
      '/assets/%2e%2e%2fpackage.json',
      '/assets/',
      '/assets/__proto__',
      '/index.html',
      '/licenses.md',
    ]) {
      expect((await get(path)).status, path).toBe(404);
    }
  });

  it('is no part of the description of the API', async () => {
    const { paths } = (await (await get('/openapi.json')).json()) as { paths: object };
    expect(Object.keys(paths)).toContain('/');
    expect(Object.keys(paths).filter((path) => /assets|worker/.test(path))).toEqual([]);
  });
});

describe('a package without a page', () => {
  it('has none, and one with other things in its folder is refused', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'page-'));
    const url = pathToFileURL(`${directory}/`);
    expect(await readPageFiles(url)).toBeUndefined();
    mkdirSync(join(directory, 'assets'));
    writeFileSync(join(directory, 'index.html'), '<p>');
    writeFileSync(join(directory, 'service-worker.js'), '');
    expect((await readPageFiles(url))?.assets.size).toBe(0);
    writeFileSync(join(directory, 'assets', 'a.exe'), '');
    await expect(readPageFiles(url)).rejects.toMatchObject({ code: 'internal_error' });
    rmSync(directory, { recursive: true, force: true });
  });

  it('is not this one: the archive has it with the licences of what is in it', () => {
    const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
    expect(files).toContain('dist/pages');
    const licenses = readFileSync('dist/pages/chat/licenses.md', 'utf8');
    expect(['preact', 'marked', 'dompurify'].filter((name) => !licenses.includes(`## ${name} `))).toEqual([]);
  });
});

it('a model tells how long its context is once it was used', async () => {
  const [before] = ((await (await get('/v1/models')).json()) as { data: object[] }).data;
  expect(before).not.toHaveProperty('max_model_len');
  await (
    await serving.post('/v1/chat/completions', {
      model: 'demo',
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 1,
    })
  ).text();
  const [after] = ((await (await get('/v1/models')).json()) as { data: object[] }).data;
  expect(after).toMatchObject({ id: 'demo', max_model_len: 1024 });
  expect(await (await get('/v1/models/demo')).json()).toEqual(after);
});
