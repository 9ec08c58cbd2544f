import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { VERSION } from '../../src/base/index.js';
import { locate } from '../../src/base/locate.js';

const root = pathToFileURL(`${process.cwd()}/`).href;
const THREAD = 'dist/src/actor/thread-main.js';

/** A folder of an application, with the package of `version` in its node_modules unless that is undefined. */
function application(version?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'locate-'));
  if (version === undefined) return folder;
  mkdirSync(join(folder, 'node_modules/troupe'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/troupe/package.json'), JSON.stringify({ name: 'troupe', version }));
  return folder;
}

it('the version in the code is that of package.json', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(VERSION).toBe(version);
});

it('locate finds the files beside its own', () => {
  const found = locate(THREAD);
  expect(found.href).toBe(`${root}${THREAD}`);
  expect(existsSync(found)).toBe(true);
});

it('locate finds the installed package from a bundle, and through a link', () => {
  const folder = application(VERSION);
  const at = pathToFileURL(join(folder, 'deep/out/a.js')).href;
  expect(fileURLToPath(locate('dist/demo/', { url: at, main: undefined }))).toBe(
    join(folder, 'node_modules/troupe/dist/demo/'),
  );
  const linked = application();
  mkdirSync(join(linked, 'node_modules'));
  symlinkSync(process.cwd(), join(linked, 'node_modules/troupe'));
  expect(locate(THREAD, { url: pathToFileURL(join(linked, 'a.js')).href, main: undefined }).href).toBe(root + THREAD);
});

it('locate finds it from the main script where CommonJS leaves no place, or webpack wrote that of another machine', () => {
  const main = join(application(VERSION), 'a.cjs');
  const beside = pathToFileURL(join(main, '../node_modules/troupe', THREAD)).href;
  expect(locate(THREAD, { url: undefined, main }).href).toBe(beside);
  expect(locate(THREAD, { url: 'file:///builder/node_modules/troupe/dist/src/base/joined.js', main }).href).toBe(
    beside,
  );
});

it('locate refuses a package of another version, or none, and says what to install', () => {
  const main = join(application('0.0.1'), 'a.js');
  expect(() => locate(THREAD, { url: undefined, main })).toThrow(/package\.json is version 0\.0\.1.*install troupe/);
  const alone = { url: pathToFileURL(join(application(), 'a.js')).href, main: undefined };
  expect(() => locate(THREAD, alone)).toThrow(expect.objectContaining({ code: 'package_not_found' }));
});
