import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { toDirectories } from '../../src/bin/native-engine/options/directories.js';

const parent = mkdtempSync(join(tmpdir(), 'directories-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
writeFileSync(join(parent, 'file'), '');

it.each([
  ['nothing', {}, {}, {}],
  ['options', { modelsDir: 'm', cacheDir: 'c' }, { TROUPE_CACHE: 'other' }, { modelsDir: 'm', cacheDir: 'c' }],
  ['TROUPE_CACHE', {}, { TROUPE_CACHE: 'c', XDG_CACHE_HOME: parent }, { cacheDir: 'c' }],
  ['an empty TROUPE_CACHE', {}, { TROUPE_CACHE: '' }, {}],
  ['XDG_CACHE_HOME', {}, { XDG_CACHE_HOME: parent }, { cacheDir: join(parent, 'troupe') }],
  ['an XDG_CACHE_HOME that cannot be written', {}, { XDG_CACHE_HOME: join(parent, 'file') }, {}],
  ['a relative XDG_CACHE_HOME', {}, { XDG_CACHE_HOME: 'here' }, {}],
])('directories of %s', async (_, flags, env, found) => {
  expect(await toDirectories(flags, env)).toEqual(found);
  expect(existsSync('here')).toBe(false);
});

it.each([{ modelsDir: '' }, { cacheDir: '' }])('refuses %j', async (flags) => {
  await expect(toDirectories(flags, {})).rejects.toMatchObject({ code: 'invalid_option' });
});
