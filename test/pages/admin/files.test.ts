// The files of the admin page, as the gateway serves them.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAdmin, type StartedAdmin } from '../../gateway/admin/start-admin.js';

/** All that a browser loads, compressed, as issue 36 allows it. */
const MAX_GZIP_BYTES = 150 * 1024;
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the admin page', () => {
  let admin: StartedAdmin;
  beforeAll(async () => {
    admin = await startAdmin();
  });
  afterAll(() => admin[Symbol.asyncDispose]());

  const get = (path: string, headers: Record<string, string> = html) => admin.raw('GET', path, { headers });

  it('is one document for all sections, whatever their filters, with a policy that allows nothing from elsewhere', async () => {
    const document = await get('/');
    expect(document.status).toBe(200);
    expect(document.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//);
    expect(document.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-frame-options': 'DENY',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
    for (const path of [
      '/keys',
      '/keys?open=vk_a&search=%3Cx',
      '/?x=1&x=2',
      '/configuration?tab=yaml',
      '/models/a/b',
    ]) {
      const answered = await get(path);
      expect([path, answered.status, answered.text]).toEqual([path, 200, document.text]);
    }
    expect((await get('/keys', { accept: 'application/json' })).status).toBe(404);
    expect((await get('/admin/keys')).status).toBe(404);
    expect((await get('/assets/index.js?x=1')).status).toBe(400);
  });

  it('is 150 KB at most, compressed, in files whose names change with what is in them', async () => {
    const { text } = await get('/');
    const paths = Array.from(text.matchAll(/(?:src|href)="([^"]+)"/g), ([, path = '']) => path);
    const names = readdirSync('dist/pages/admin/assets').map((name) => `/assets/${name}`);
    expect(paths.toSorted()).toEqual(names.toSorted());
    let bytes = gzipSync(text).length;
    for (const path of paths) {
      const answered = await get(path);
      expect([path, answered.status]).toEqual([path, 200]);
      expect(path).toMatch(/^\/assets\/\w+-[\w-]{8}\.(?:js|css|svg)$/);
      expect(answered.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      bytes += gzipSync(readFileSync(`dist/pages/admin${path}`)).length;
    }
    expect(bytes).toBeLessThanOrEqual(MAX_GZIP_BYTES);
  });

  it('is in the archive, with the licences of what is in it', () => {
    const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
    expect(files).toContain('dist/pages');
    const licenses = readFileSync('dist/pages/admin/licenses.md', 'utf8');
    expect(['preact', 'uplot'].filter((name) => !licenses.includes(`## ${name} `))).toEqual([]);
  });
});
