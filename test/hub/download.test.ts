import { randomBytes } from 'node:crypto';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { MAP_SUFFIX } from '../../src/hub/index.js';
import { contentOf } from '../support/hub/repository.js';
import { isRight, stage } from './support.js';

const MiB = 1 << 20;

describe('a download', () => {
  it.each([0, 1, 1000, MiB, MiB + 1, 5 * MiB, 9 * MiB + 77])(
    'has the right bytes of a file of %i',
    async (sizeBytes) => {
      await using at = await stage(sizeBytes);
      const { fetchedBytes, retries } = await at.download();
      expect(isRight(at)).toBe(true);
      expect(fetchedBytes).toBe(sizeBytes);
      expect(retries).toEqual([]);
    },
  );

  it('has the right bytes of a file that the hub itself sends', async () => {
    await using at = await stage(300_000, { path: 'tokenizer.json' });
    await at.download();
    expect(isRight(at)).toBe(true);
    expect(at.server.seen.every(({ server }) => server === 'hub')).toBe(true);
  });

  it('fetches several parts at once, and asks each by its version', async () => {
    await using at = await stage(9 * MiB);
    await at.download();
    const parts = at.server.seen.filter(({ server }) => server === 'storage');
    expect(parts.map(({ range = '' }) => range).toSorted()).toEqual([
      'bytes=0-3145727',
      'bytes=3145728-6291455',
      'bytes=6291456-9437183',
    ]);
  });

  it('goes on where it was ended, and fetches nothing twice', async () => {
    await using at = await stage(40 * MiB);
    const stopping = new AbortController();
    let had = 0;
    const onBytes = (bytes: number): void => {
      had = bytes;
      if (bytes > 15 * MiB) stopping.abort(new Error('enough'));
    };
    await expect(at.download({ signal: stopping.signal, onBytes })).rejects.toThrow('enough');
    const map = JSON.parse(await readFile(at.path + MAP_SUFFIX, 'utf8')) as { parts: [number, number][] };
    const kept = map.parts.reduce((sum, [have]) => sum + have, 0);
    expect(kept).toBeGreaterThanOrEqual(had);
    const { fetchedBytes } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(fetchedBytes).toBe(40 * MiB - kept);
    expect(at.server.seen.some(({ ifRange }) => ifRange !== undefined)).toBe(true);
  });

  it('begins anew where what lies there is of another content, or no map can be read', async () => {
    await using at = await stage(3 * MiB);
    await writeFile(at.path, randomBytes(5 * MiB));
    await writeFile(at.path + MAP_SUFFIX, '{"version":1,"hash":"x"');
    await at.download();
    expect(isRight(at)).toBe(true);
  });

  it('writes through no link', async () => {
    await using at = await stage(1000);
    const { symlink } = await import('node:fs/promises');
    const victim = `${at.path}-victim`;
    await writeFile(victim, 'mine');
    await symlink(victim, at.path);
    await expect(at.download()).rejects.toMatchObject({ code: 'path_invalid' });
    expect(await readFile(victim, 'utf8')).toBe('mine');
  });
});

describe('a download from a server that misbehaves', () => {
  it('goes on after each cut, with the bytes that came', async () => {
    await using at = await stage(5 * MiB);
    at.server.plan = ({ number }) => (number < 6 ? { cutAfter: 300_000 + number } : undefined);
    const { fetchedBytes, retries } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(fetchedBytes).toBe(5 * MiB);
    expect(retries).toEqual(Array.from({ length: 6 }, () => 'the connection was cut'));
  });

  it('tries a part again whose connection is silent', async () => {
    await using at = await stage(5 * MiB, { idleMs: 150 });
    at.server.plan = ({ number }) => (number === 1 ? { stallAfter: 100_000 } : undefined);
    const { retries } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(retries).toEqual(['it stopped sending']);
  });

  it('asks for another link when the first has expired', async () => {
    await using at = await stage(9 * MiB);
    at.server.plan = () => {
      if (at.server.fileRequests === 2) at.server.linkEpoch++;
      return undefined;
    };
    const { retries } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(retries.every((reason) => reason === 'its link has expired (status 403)')).toBe(true);
    expect(at.server.seen.filter(({ method }) => method === 'HEAD').length).toBe(2);
  });

  it('takes whole files from a server without ranges', async () => {
    await using at = await stage(5 * MiB);
    at.server.plan = () => ({ ignoreRange: true });
    const { notes } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(notes).toEqual(['the server sends whole files only: the file is fetched from its beginning']);
  });

  it('begins anew where the storage has another version meanwhile', async () => {
    await using at = await stage(9 * MiB);
    at.server.plan = ({ number }) => {
      if (number === 1) at.server.etagSuffix = '-2';
      return number === 0 ? { cutAfter: MiB } : undefined;
    };
    const { notes } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(notes).toContain('the storage has another version of it: the file is fetched from its beginning');
  });

  it('refuses a storage with another version each time', async () => {
    await using at = await stage(9 * MiB);
    at.server.plan = ({ number }) => {
      at.server.etagSuffix = `-${number}`;
      return { cutAfter: 500_000 };
    };
    await expect(at.download()).rejects.toMatchObject({ code: 'hub_content_mismatch' });
  });

  it.each([
    ['another range', { contentRange: 'bytes 5-9/9437184' }, 'hub_answer_invalid'],
    ['another size', { contentRange: 'bytes 0-3145727/77' }, 'hub_content_mismatch'],
    ['no range', { contentRange: 'apples' }, 'hub_answer_invalid'],
    ['a status that fits nothing', { status: 302 }, 'hub_answer_invalid'],
    ['416', { status: 416 }, 'hub_content_mismatch'],
  ])('refuses %s', async (_, fault, code) => {
    await using at = await stage(9 * MiB);
    at.server.plan = () => fault;
    await expect(at.download()).rejects.toMatchObject({ code });
  });

  it('gives up after six tries without progress, and keeps what it has', async () => {
    await using at = await stage(9 * MiB);
    at.server.plan = ({ number }) => (number === 0 ? undefined : { status: 503 });
    await expect(at.download()).rejects.toMatchObject({
      code: 'hub_unreachable',
      message: expect.stringContaining('status 503'),
    });
    at.server.plan = () => undefined;
    expect((await at.download()).fetchedBytes).toBeLessThan(9 * MiB);
    expect(isRight(at)).toBe(true);
  });

  it('waits when it is throttled, and goes on over one connection', async () => {
    await using at = await stage(40 * MiB);
    at.server.plan = ({ number }) => (number === 2 ? { status: 429, headers: { 'retry-after': '3' } } : undefined);
    const { retries } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(retries).toEqual(['asked too often']);
  });

  it('takes no more bytes than it asked for', async () => {
    await using at = await stage(5 * MiB);
    at.server.plan = () => ({ extraBytes: 1000 });
    const { fetchedBytes } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(fetchedBytes).toBe(5 * MiB);
  });
});

describe('a flipped bit', () => {
  it('costs one part, where the sender tells the digest of what it sends', async () => {
    await using at = await stage(9 * MiB);
    at.server.sendsDigests = true;
    at.server.plan = ({ start, number }) => (number < 3 && start === 3 * MiB ? { flipAt: 4 * MiB } : undefined);
    const { retries, fetchedBytes } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(retries).toEqual(['damaged on the way']);
    expect(fetchedBytes).toBe(12 * MiB);
  });

  it('is found by its part, where only the hash of the whole file is known', async () => {
    await using at = await stage(9 * MiB);
    at.server.plan = ({ start, number }) => (number < 3 && start === 3 * MiB ? { flipAt: 4 * MiB } : undefined);
    const { notes, fetchedBytes } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(notes).toEqual(['bits were flipped on the way: parts are fetched again until the hash is right']);
    expect(fetchedBytes).toBe(9 * MiB + 6 * MiB);
  });

  it('on the disk costs the part that it is in', async () => {
    await using at = await stage(40 * MiB);
    const stopping = new AbortController();
    const onBytes = (bytes: number): void => void (bytes > 25 * MiB && stopping.abort(new Error('enough')));
    await expect(at.download({ signal: stopping.signal, onBytes })).rejects.toThrow('enough');
    const map = JSON.parse(await readFile(at.path + MAP_SUFFIX, 'utf8')) as {
      partBytes: number;
      parts: [number, number][];
    };
    const had = map.parts.reduce((sum, [have]) => sum + have, 0);
    await using file = await open(at.path, 'r+');
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, 5);
    byte.writeUInt8(byte.readUInt8(0) ^ 8);
    await file.write(byte, 0, 1, 5);
    const { notes, fetchedBytes } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(notes).toEqual(['1 parts were changed on the disk and are fetched again']);
    expect(fetchedBytes).toBe(40 * MiB - had + map.partBytes);
  });

  it('that comes each time is refused, and nothing of the file is believed', async () => {
    await using at = await stage(3 * MiB);
    at.server.plan = () => ({ flipAt: MiB });
    await expect(at.download()).rejects.toMatchObject({ code: 'hub_content_mismatch' });
    at.server.plan = () => undefined;
    await at.download();
    expect(isRight(at)).toBe(true);
  });
});

it('leaves the file as large as it is to be, and no hole in it', async () => {
  await using at = await stage(5 * MiB);
  await at.download();
  expect((await stat(at.path)).size).toBe(5 * MiB);
  expect(contentOf(await readFile(at.path)).sha256).toBe(at.content.sha256);
});
