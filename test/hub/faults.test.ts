// A download through everything that can break it (F8): the hash is right each time, and what is fetched twice is bounded.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAP_SUFFIX } from '../../src/hub/index.js';
import { nobodyArguments } from '../support/as-nobody.js';
import { canMount, mountSmallDisk } from '../support/full-disk.js';
import { eventually } from '../support/eventually.js';
import { isRight, stage, type Stage } from './support.js';

const MiB = 1 << 20;

/** Numbers that look random and are the same each time. Source: xorshift32, Marsaglia 2003. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

/** A process that downloads the file of the stage to `path`, with arguments of node before the script. */
function downloadApart(
  { server, path }: Pick<Stage, 'server' | 'path'>,
  nodeArguments: readonly string[] = [],
): ChildProcess {
  const script = join(process.cwd(), 'dist/test/hub/download-apart.js');
  const env = { ...process.env, HF_ENDPOINT: server.url, HF_HUB_OFFLINE: '', HF_HUB_DISABLE_IMPLICIT_TOKEN: '1' };
  return spawn(process.execPath, [...nodeArguments, script, path], { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

describe('a download', () => {
  it('survives 200 cuts at any place, and fetches no byte twice that came', async () => {
    await using at = await stage(24 * MiB);
    const next = numbers(7);
    let cuts = 0;
    // After less than what counts as progress: else 200 cuts would be soon over.
    at.server.plan = () => (cuts++ < 200 ? { cutAfter: 66_000 + next(50_000) } : undefined);
    const { fetchedBytes, retries } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(retries.length).toBe(200);
    expect(fetchedBytes).toBe(24 * MiB);
  });

  it('has the right bytes after 50 flipped bits, and fetches a part again for each', async () => {
    const next = numbers(11);
    for (let round = 0; round < 10; round++) {
      await using at = await stage(5 * MiB);
      at.server.sendsDigests = true;
      let flips = 0;
      at.server.plan = ({ start, end }) => (flips++ < 5 ? { flipAt: start + next(end - start) } : undefined);
      const { fetchedBytes, retries } = await at.download();
      expect(isRight(at)).toBe(true);
      expect(retries).toEqual(Array.from({ length: 5 }, () => 'damaged on the way'));
      expect(fetchedBytes).toBeLessThanOrEqual(5 * MiB + 5 * 2 * MiB);
    }
  });

  it('has the right bytes after flips that only the whole hash shows', async () => {
    const next = numbers(13);
    for (let round = 0; round < 5; round++) {
      await using at = await stage(5 * MiB);
      at.server.plan = ({ number, start, end }) => (number < 2 ? { flipAt: start + next(end - start) } : undefined);
      const { fetchedBytes } = await at.download();
      expect(isRight(at)).toBe(true);
      expect(fetchedBytes).toBeLessThanOrEqual(2 * 5 * MiB);
    }
  });

  it('goes on after each of four kill -9 with all that its map says, and fetches only the rest', async () => {
    await using at = await stage(60 * MiB);
    at.server.plan = () => ({ drip: { bytes: 256 * 1024, everyMs: 2 } });
    const had = (): number => {
      if (!existsSync(at.path + MAP_SUFFIX)) return 0;
      const { parts } = JSON.parse(readFileSync(at.path + MAP_SUFFIX, 'utf8')) as { parts: [number, number][] };
      return parts.reduce((sum, [have]) => sum + have, 0);
    };
    for (let kill = 0; kill < 4; kill++) {
      const before = had();
      const child = downloadApart(at);
      // What the system still holds for one that dies is not counted: what its map says is.
      await eventually(had).toBeGreaterThan(before + 6 * MiB);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const kept = had();
    at.server.plan = () => undefined;
    const { fetchedBytes } = await at.download();
    expect(isRight(at)).toBe(true);
    expect(fetchedBytes).toBe(60 * MiB - kept);
  });
});

describe('a disk that does not take it', () => {
  it.skipIf(!canMount)('full: says so, and goes on when there is room', async () => {
    using disk = mountSmallDisk(4 * MiB);
    await using at = await stage(6 * MiB);
    await expect(at.download({ path: join(disk.path, 'file') })).rejects.toMatchObject({ code: 'disk_full' });
  });

  it.skipIf(nobodyArguments.length === 0)('read-only: says which path', async () => {
    await using at = await stage(1000);
    const folder = `${at.path}-locked`;
    mkdirSync(folder, 0o555);
    const child = downloadApart({ server: at.server, path: join(folder, 'file') }, nobodyArguments);
    let said = '';
    child.stderr?.on('data', (piece) => (said += String(piece)));
    await once(child, 'exit');
    expect(said).toContain('access_denied');
    expect(said).toContain(folder);
  });
});
