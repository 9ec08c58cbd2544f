import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  AppError,
  fileErrorReason,
  makeDirectory,
  nearestOf,
  throwFileError,
  toFileError,
} from '../../src/base/index.js';

const parent = mkdtempSync(join(tmpdir(), 'file-errors-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const ofSystem = (code: string): Error => Object.assign(new Error(`${code}: …`), { code, errno: -1, syscall: 'open' });

describe('an error of the file system', () => {
  it.each([
    ['EACCES', 'access_denied'],
    ['EPERM', 'access_denied'],
    ['EROFS', 'access_denied'],
    ['ERR_ACCESS_DENIED', 'access_denied'],
    ['ENOSPC', 'disk_full'],
    ['EDQUOT', 'disk_full'],
    ['EFBIG', 'disk_full'],
    ['EMFILE', 'too_many_open_files'],
    ['ENFILE', 'too_many_open_files'],
    ['ENOTDIR', 'path_invalid'],
    ['ELOOP', 'path_invalid'],
    ['ENAMETOOLONG', 'path_invalid'],
    ['EIO', 'io_failed'],
    ['ESTALE', 'io_failed'],
  ])('%s is %s and names the path', (system, code) => {
    const error = toFileError(ofSystem(system), 'read', '/some/where');
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({
      code,
      message: expect.stringMatching(/^\/some\/where cannot be read: /),
      details: { path: '/some/where' },
    });
    expect(fileErrorReason(ofSystem(system))).not.toBe('');
  });

  it('names how many bytes were written, of how many', () => {
    const error = toFileError(ofSystem('ENOSPC'), 'write', '/full', { doneBytes: 5, totalBytes: 12 });
    expect(error).toMatchObject({
      message:
        '/full cannot be written: no space is left on the device after 5 of 12 bytes; make room there, or choose another place',
      details: { path: '/full', doneBytes: 5, totalBytes: 12 },
    });
  });

  it('is known in another realm, whose errors are no Error of this one', () => {
    expect(toFileError({ code: 'ENOSPC', message: 'x' }, 'write', '/full')).toMatchObject({ code: 'disk_full' });
  });

  it.each([
    ['of ours', new AppError('queue_full', 'x')],
    ['of a signal', new DOMException('stop', 'AbortError')],
    ['without a code', new Error('x')],
    ['that is none', 'enough'],
  ])('%s stays what it is', (_, other) => {
    expect(toFileError(other, 'read', '/x')).toBe(other);
  });

  it('is caught behind a real call', async () => {
    const loop = join(parent, 'loop');
    symlinkSync(loop, loop);
    await expect(open(loop).catch(throwFileError('read', loop))).rejects.toMatchObject({ code: 'path_invalid' });
    await expect(readdir(join(parent, 'x'.repeat(300))).catch(throwFileError('read', 'x'))).rejects.toMatchObject({
      code: 'path_invalid',
    });
  });
});

describe('making a directory', () => {
  it('makes its parents with the mode that was asked for', async () => {
    await makeDirectory(join(parent, 'a/b'), 0o700);
    expect(['a', 'a/b'].map((path) => statSync(join(parent, path)).mode & 0o777)).toEqual([0o700, 0o700]);
    await makeDirectory(join(parent, 'a/b'));
  });

  it('fails where a file is in its way, and where nothing can be made', async () => {
    writeFileSync(join(parent, 'file'), '');
    await expect(makeDirectory(join(parent, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeDirectory(join(parent, 'file/a/b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    if (process.platform === 'linux')
      await expect(makeDirectory('/proc/none/a')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

it('the nearest of several words come first, and none that is far away', () => {
  expect(nearestOf('tinny', ['llama', 'tiny', 'tinnie', 'tinny-q4'], 3)).toEqual(['tiny', 'tinny-q4', 'tinnie']);
  expect(nearestOf('x'.repeat(65), ['x'.repeat(65)], 1)).toEqual([]);
});
