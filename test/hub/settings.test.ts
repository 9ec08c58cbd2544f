import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proxyFor, readHubSettings } from '../../src/hub/settings.js';

let home = '';
beforeAll(() => (home = mkdtempSync(join(tmpdir(), 'hf-home-'))));
afterAll(() => rmSync(home, { recursive: true }));

describe('settings of the hub', () => {
  it('are those of the public hub without a word', async () => {
    const settings = await readHubSettings({ HF_HOME: home });
    expect(settings).toEqual({
      endpoint: 'https://huggingface.co',
      token: undefined,
      isOffline: false,
      proxies: { http: undefined, https: undefined, none: [] },
    });
  });

  it('have the token of the environment before that of a file, whose places are those of the hub', async () => {
    writeFileSync(join(home, 'token'), ' hf_file\n');
    expect((await readHubSettings({ HF_HOME: home })).token).toBe('hf_file');
    expect((await readHubSettings({ HF_HOME: home, HF_TOKEN: 'hf_env' })).token).toBe('hf_env');
    expect((await readHubSettings({ HF_TOKEN_PATH: join(home, 'token') })).token).toBe('hf_file');
    expect((await readHubSettings({ HF_HOME: home, HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' })).token).toBeUndefined();
    expect((await readHubSettings({ HF_TOKEN_PATH: join(home, 'none') })).token).toBeUndefined();
  });

  it.each([
    [{ HF_ENDPOINT: 'ftp://hub' }, 'HF_ENDPOINT'],
    [{ HF_ENDPOINT: 'https://user:secret@hub' }, 'HF_ENDPOINT'],
    [{ HF_ENDPOINT: 'no url' }, 'HF_ENDPOINT'],
    [{ HF_TOKEN: 'two words' }, 'HF_TOKEN'],
    [{ HF_TOKEN: 'line\r\nHost: evil' }, 'HF_TOKEN'],
    [{ HTTPS_PROXY: 'socks5://secret@proxy' }, 'HTTPS_PROXY'],
  ])('refuse %o, and repeat nothing of it', async (env, name) => {
    const error: unknown = await readHubSettings({ HF_HOME: home, ...env }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'hub_settings_invalid', message: expect.stringContaining(name) });
    expect(String(error)).not.toMatch(/secret|evil|two words/);
  });

  it.each([
    ['https://huggingface.co/x', '', true],
    ['http://huggingface.co/x', '', false],
    ['https://huggingface.co/x', 'huggingface.co', false],
    ['https://cdn.huggingface.co/x', 'huggingface.co', false],
    ['https://cdn.huggingface.co/x', '.huggingface.co', false],
    ['https://notthehuggingface.co/x', 'huggingface.co', true],
    ['https://huggingface.co/x', 'example.com, *', false],
    ['https://hub.local:8443/x', 'hub.local:8443', false],
    ['https://hub.local:8443/x', 'hub.local:443', true],
    ['https://[::1]:8443/x', '::1', false],
  ])('ask a proxy for %s with NO_PROXY %s: %s', async (url, none, isAsked) => {
    const { proxies } = await readHubSettings({ HF_HOME: home, HTTPS_PROXY: 'proxy.example:3128', NO_PROXY: none });
    expect(proxyFor(new URL(url), proxies) !== undefined).toBe(isAsked);
  });
});
