import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { findCacheDirectory, type CacheSystem } from '../../src/base/files/cache-directory.js';
import { findHome } from '../../src/base/files/home.js';
import { nobodyArguments } from '../support/as-nobody.js';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'cache-directory-')));
chmodSync(root, 0o755);
let count = 0;
let system: CacheSystem;
const userId = process.geteuid?.();

beforeEach(() => {
  const place = join(root, String(count++));
  const [home, temporary] = [join(place, 'home'), join(place, 'tmp')];
  mkdirSync(home, { recursive: true });
  mkdirSync(temporary);
  system = { platform: 'linux', home, temporary, userId };
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const homeOf = (): string => system.home ?? '';
const fallback = (): string => join(system.temporary, userId === undefined ? 'troupe' : `troupe-${userId}`);
/** A file where the home would keep its caches. */
const blockHome = (): void => writeFileSync(join(homeOf(), '.cache'), '');

describe('a directory that was asked for', () => {
  it('is made with its parents and returned as an absolute path', async () => {
    const path = join(homeOf(), 'a', 'b');
    expect(await findCacheDirectory(relative(process.cwd(), path), system)).toBe(path);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('is the only one that is tried: an error names it, why, and what to do', async () => {
    const path = join(homeOf(), 'file');
    writeFileSync(path, '');
    await expect(findCacheDirectory(path, system)).rejects.toMatchObject({
      code: 'cache_unwritable',
      message: expect.stringMatching(
        /file \(a file is where a directory should be\); choose another with --cache-dir, TROUPE_CACHE/,
      ),
      details: { path },
    });
    await expect(findCacheDirectory(join(path, 'below'), system)).rejects.toMatchObject({ code: 'cache_unwritable' });
  });
});

describe('the default directory', () => {
  it.each([
    ['linux', '.cache/troupe'],
    ['freebsd', '.cache/troupe'],
    ['darwin', 'Library/Caches/troupe'],
    ['win32', 'AppData/Local/troupe/Cache'],
  ] as const)('is that of the platform: %s', async (platform, path) => {
    const found = await findCacheDirectory(undefined, { ...system, platform });
    expect(found).toBe(join(homeOf(), path));
    expect(statSync(found).mode & 0o777).toBe(0o700);
  });

  it('is below the temporary directory, for this user alone, where the home cannot be written', async () => {
    blockHome();
    expect(await findCacheDirectory(undefined, system)).toBe(fallback());
    expect(statSync(fallback()).mode & 0o777).toBe(0o700);
    expect(await findCacheDirectory(undefined, system)).toBe(fallback());
  });

  it('is below the temporary directory where there is no home', async () => {
    expect(await findCacheDirectory(undefined, { ...system, home: undefined })).toBe(fallback());
  });

  it('is no link that another user made first', async () => {
    blockHome();
    symlinkSync(homeOf(), fallback());
    await expect(findCacheDirectory(undefined, system)).rejects.toMatchObject({
      code: 'cache_unwritable',
      message: expect.stringContaining('(it is a link)'),
    });
  });

  it.skipIf(userId === undefined)('is none that other users own or may write', async () => {
    blockHome();
    const foreign = { ...system, userId: (userId ?? 0) + 1 };
    mkdirSync(join(system.temporary, `troupe-${foreign.userId}`));
    await expect(findCacheDirectory(undefined, foreign)).rejects.toThrow('(it belongs to another user)');
    mkdirSync(fallback());
    chmodSync(fallback(), 0o777);
    await expect(findCacheDirectory(undefined, system)).rejects.toThrow('(other users may write it)');
  });

  it('is none where nothing can be written: the error names all that were tried', async () => {
    blockHome();
    rmSync(system.temporary, { recursive: true });
    writeFileSync(system.temporary, '');
    const error: unknown = await findCacheDirectory(undefined, system).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'cache_unwritable' });
    const { message } = error instanceof Error ? error : new Error('none was thrown');
    expect(message).toContain(join(homeOf(), '.cache', 'troupe'));
    expect(message).toContain(fallback());
    expect(message).toContain('pass --cache-dir, set TROUPE_CACHE, or `cacheDir` in the library');
  });
});

describe.skipIf(process.platform === 'win32')('in a process of its own', () => {
  const script = `import { findCacheDirectory } from ${JSON.stringify(
    pathToFileURL(join(process.cwd(), 'dist/src/base/index.js')).href,
  )}; console.log(await findCacheDirectory().catch(({ code }) => code));`;
  const find = (env: NodeJS.ProcessEnv, before = ''): string => {
    const args = [...nobodyArguments, '--input-type=module', '-e', before + script];
    return spawnSync(process.execPath, args, { env: { PATH: process.env['PATH'], ...env } })
      .stdout.toString()
      .trim();
  };

  it('a home that the user may not write gives the fallback', () => {
    chmodSync(homeOf(), 0o555);
    chmodSync(system.temporary, 0o777);
    const found = find({ HOME: homeOf(), TMPDIR: system.temporary });
    expect(found).toMatch(new RegExp(`^${system.temporary}/troupe-\\d+$`));
  });

  it('a HOME that is empty, relative or missing from the user database makes no path of the working directory', () => {
    chmodSync(system.temporary, 0o777);
    const unknown =
      'import os from "node:os"; import { syncBuiltinESMExports } from "node:module"; os.homedir = () => { throw new Error("uv_os_homedir returned ENOENT"); }; syncBuiltinESMExports();';
    const homes = [find({ HOME: '', TMPDIR: system.temporary }), find({ HOME: 'here', TMPDIR: system.temporary })];
    homes.push(find({ TMPDIR: system.temporary }, unknown));
    for (const found of homes) expect(found).toMatch(new RegExp(`^${system.temporary}/troupe-\\d+$`));
  });

  it('a user who may write nowhere gets cache_unwritable', () => {
    chmodSync(homeOf(), 0o555);
    chmodSync(system.temporary, 0o555);
    expect(find({ HOME: homeOf(), TMPDIR: system.temporary })).toBe('cache_unwritable');
  });
});

it('findHome is an absolute path or nothing', () => {
  expect(findHome() ?? '/').toMatch(/^(\/|[A-Z]:)/);
});
