import { existsSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createArtifactWriter, isWholeArtifact } from '../../src/artifact/index.js';
import { createRandomArtifact, shapes } from '../../src/convert/index.js';
import { failWrites } from '../support/failing-writes.js';
import { canMount, mountSmallDisk } from '../support/full-disk.js';
import { head, inFreshDirectory, matrix, writeSmall } from './small-artifact.js';

const config = { ...shapes['0.5b'], num_hidden_layers: 1, vocab_size: 4000 };

describe('an artifact for which there is no room', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EFBIG'])(
    'is an error that names the place and the bytes after %s, and leaves nothing',
    (system) =>
      inFreshDirectory(async (parent) => {
        const out = join(parent, 'model');
        using _ = await failWrites(system, 100_000);
        const error: unknown = await createRandomArtifact({ config, out, quant: 'q4' }).catch(
          (thrown: unknown) => thrown,
        );
        expect(error).toMatchObject({
          code: 'disk_full',
          message: expect.stringContaining(`${out} cannot be written: `),
        });
        const { doneBytes, totalBytes } = (error as { details: Record<string, number> }).details;
        expect(doneBytes).toBeGreaterThanOrEqual(100_000);
        expect(totalBytes).toBeGreaterThan(doneBytes ?? 0);
        expect(readdirSync(parent)).toEqual([]);
      }),
  );

  it('does not take a write that fails while the bytes are hashed for a mistake of ours', () =>
    inFreshDirectory(async (parent) => {
      const tensor = matrix('a', 8, 32);
      const writer = await createArtifactWriter(join(parent, 'model'));
      using _ = await failWrites('EIO', 0);
      await expect(writer.addTensor(tensor, [tensor.bytes])).rejects.toMatchObject({ code: 'io_failed' });
      await writer[Symbol.asyncDispose]();
      expect(readdirSync(parent)).toEqual([]);
    }));

  it.skipIf(!canMount)('on a real disk that fills up, or is read-only (needs the right to mount one)', async () => {
    using disk = mountSmallDisk(1 << 20);
    const out = join(disk.path, 'model');
    await expect(createRandomArtifact({ config, out, quant: 'q4' })).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(
        /model cannot be written: it takes [\d.]+ MiB, and [\d.]+ MiB are free there; make room/,
      ),
    });
    expect(readdirSync(disk.path)).toEqual([]);
    // Who does not know how much it will be is refused by the system.
    const tensor = matrix('a', 2048, 1024);
    const writer = await createArtifactWriter(out);
    await expect(writer.addTensor(tensor, [tensor.bytes])).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(/model cannot be written: no space is left on the device after \d+ bytes/),
    });
    await writer[Symbol.asyncDispose]();
    expect(readdirSync(disk.path)).toEqual([]);
    disk.makeReadOnly();
    await expect(createArtifactWriter(out)).rejects.toMatchObject({
      code: 'access_denied',
      message: expect.stringContaining(`${out} cannot be written: the file system is read-only`),
    });
  });
});

describe('an artifact of which a part is gone', () => {
  it.each([
    ['a file', (directory: string) => rmSync(join(directory, 'config.json'))],
    ['the end of its weights', (directory: string) => truncateSync(join(directory, 'weights.bin'), 100)],
    ['its manifest', (directory: string) => rmSync(join(directory, 'manifest.json'))],
    ['everything', (directory: string) => rmSync(directory, { recursive: true })],
  ])('is not whole without %s', (_, take) =>
    inFreshDirectory(async (parent) => {
      const directory = join(parent, 'model');
      await writeSmall(directory);
      expect(await isWholeArtifact(directory)).toBe(true);
      take(directory);
      expect(await isWholeArtifact(directory)).toBe(false);
    }),
  );
});

it('what was begun is not seen until it is finished', () =>
  inFreshDirectory(async (parent) => {
    const out = join(parent, 'model');
    const reason = new Error('not yet');
    {
      await using writer = await createArtifactWriter(out, { choosePlace: () => Promise.reject(reason) });
      await expect(writer.finish(head)).rejects.toBe(reason);
      expect(existsSync(out)).toBe(false);
    }
    expect(readdirSync(parent)).toEqual([]);
  }));
