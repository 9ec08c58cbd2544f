import { mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isFree, lockOwner, replaceFile, tryLock, writeDurably, type Clock } from '../../src/base/index.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'));
  path = join(folder, 'file');
});

describe('replaceFile', () => {
  it('puts a file in the place of another, with its mode, and leaves nothing else', async () => {
    writeFileSync(path, 'old');
    await replaceFile(path, 'new', 0o600);
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('leaves nothing where it fails, and what was there stays', async () => {
    const taken = join(folder, 'taken');
    await writeDurably(join(folder, 'other'), 'x');
    await expect(replaceFile(join(taken, 'file'), 'new')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(replaceFile(folder, 'new')).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['other']);
  });
});

describe('tryLock', () => {
  const dead = JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1 });

  it('gives a lock to one at a time', async () => {
    const held = await tryLock(path);
    expect(held).not.toBeNull();
    expect(await tryLock(path)).toBeNull();
    expect(await isFree(path)).toBe(false);
    await held?.[Symbol.asyncDispose]();
    expect(await isFree(path)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes over the lock of a dead process, at once on this machine', async () => {
    writeFileSync(path, dead);
    expect(await isFree(path)).toBe(true);
    await using held = await tryLock(path);
    expect(held).not.toBeNull();
    expect(readdirSync(folder)).toEqual(['file']);
  });

  it('takes over that of a process whose number another has now, and none of one that only sleeps', async () => {
    const own = { host: hostname(), pid: process.pid };
    writeFileSync(path, JSON.stringify({ ...own, start: '1' }));
    expect(await isFree(path)).toBe(true);
    await using held = await tryLock(path);
    expect(held).not.toBeNull();
    expect(await lockOwner(path)).toBe(process.pid);
    utimesSync(path, 1_000, 1_000);
    expect(await isFree(path)).toBe(false);
  });

  it('takes over that of another machine once it is silent, and shows that its own lives', async () => {
    writeFileSync(path, JSON.stringify({ host: 'elsewhere', pid: 1 }));
    utimesSync(path, 1_000, 1_000);
    let beat = (): void => {};
    const at = (unixSeconds: number): Clock => ({
      nowMs: () => 0,
      unixSeconds: () => unixSeconds,
      after: (_, run) => {
        beat = run;
        return () => {};
      },
    });
    expect(await tryLock(path, at(1_060))).toBeNull();
    await using held = await tryLock(path, at(1_061));
    expect(held).not.toBeNull();
    utimesSync(path, 1_000, 1_000);
    beat();
    await expect.poll(() => statSync(path).mtimeMs).toBe(1_061_000);
  });
});
