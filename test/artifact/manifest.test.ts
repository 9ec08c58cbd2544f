import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openArtifact, type Manifest } from '../../src/artifact/index.js';
import { mutateManifests } from './manifest-mutations.js';
import { inFreshDirectory, writeSmall } from './small-artifact.js';

type Loose = { -readonly [K in keyof Manifest]: unknown } & { tensors: Manifest['tensors']; files: Manifest['files'] };

async function openChanged(change: (manifest: Loose) => void): Promise<void> {
  await inFreshDirectory(async (parent) => {
    const directory = join(parent, 'model');
    await writeSmall(directory);
    const path = join(directory, 'manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Loose;
    change(manifest);
    writeFileSync(path, JSON.stringify(manifest));
    await using artifact = await openArtifact(directory);
    expect(artifact.directory).toBe(directory);
  });
}
const tensor = (manifest: Loose, i: number): Record<string, unknown> => manifest.tensors[i] as Record<string, unknown>;

describe('manifest', () => {
  it('opens unchanged', () => openChanged(() => {}));

  it('may name the layout of its tensors; the bytes of another are for its device to check', async () => {
    await openChanged((m) => (m.layout = 'cpu-panels-1'));
    const shortened = (m: Loose): void => {
      // The last tensor needs no place for its padding.
      const last = m.tensors.at(-1) as { rows: number; kind: string };
      last.rows += last.kind === 'vector' ? 8 : 16;
    };
    await openChanged((m) => {
      m.layout = 'rows-f32-1';
      shortened(m);
    });
    await expect(openChanged(shortened)).rejects.toMatchObject({ code: 'artifact_invalid' });
    await expect(openChanged((m) => (m.layout = 'Rows'))).rejects.toMatchObject({ code: 'artifact_invalid' });
  });

  it.each([
    ['another format', (m: Loose) => (m.formatVersion = 2)],
    ['another packing', (m: Loose) => (m.packingVersion = 2)],
    ['no packing', (m: Loose) => delete m.packingVersion],
  ])('of %s is refused with artifact_version, and says to convert again', async (_, change) => {
    await expect(openChanged(change)).rejects.toMatchObject({
      code: 'artifact_version',
      message: expect.stringContaining('convert again'),
    });
  });

  it.each([
    ['of something else', (m: Loose) => (m.format = 'other')],
    ['with an unknown key', (m: Loose) => Object.assign(m, { more: 1 })],
    ['without an id', (m: Loose) => delete m.id],
    [
      'that lists itself',
      (m: Loose) => m.files.splice(1, 0, { path: 'manifest.json', sizeBytes: 1, sha256: 'a'.repeat(64) }),
    ],
    [
      'that lists a path',
      (m: Loose) => (m.files[0] = { path: '../config.json', sizeBytes: 22, sha256: 'a'.repeat(64) }),
    ],
    [
      'that lists an upper-case name',
      (m: Loose) => (m.files[0] = { path: 'C', sizeBytes: 22, sha256: 'a'.repeat(64) }),
    ],
    ['that lists a file twice', (m: Loose) => m.files.unshift(...m.files.slice(0, 1))],
    ['with files out of order', (m: Loose) => (m.files = m.files.toReversed())],
    ['without the weights', (m: Loose) => m.files.pop()],
    ['with a file without a hash', (m: Loose) => (m.files[0] = { path: 'config.json', sizeBytes: 22 })],
    ['with a hash of the weights', (m: Loose) => ((m.files[1] as { sha256?: string }).sha256 = 'a'.repeat(64))],
    ['with a hash too many', (m: Loose) => (m.weights as Manifest['weights']).chunkSha256.push('a'.repeat(64))],
    ['with a tensor twice', (m: Loose) => (tensor(m, 1)['name'] = 'embedding')],
    ['with overlapping tensors', (m: Loose) => (tensor(m, 1)['offset'] = 0)],
    ['with an unaligned tensor', (m: Loose) => (tensor(m, 1)['offset'] = 4100)],
    ['with a tensor beyond the file', (m: Loose) => (tensor(m, 2)['offset'] = 1 << 20)],
    ['with bytes behind the last tensor', (m: Loose) => m.tensors.pop()],
    ['with a size that is not the shape', (m: Loose) => (tensor(m, 2)['rows'] = 9)],
    ['with a vector of two columns', (m: Loose) => (tensor(m, 1)['columns'] = 2)],
    ['with a vector of q8', (m: Loose) => (tensor(m, 1)['quant'] = 'q8')],
    ['with an unknown quant', (m: Loose) => (tensor(m, 0)['quant'] = 'q7')],
    ['with rows of 2^53', (m: Loose) => (tensor(m, 0)['rows'] = 2 ** 53)],
    ['with no rows', (m: Loose) => (tensor(m, 0)['rows'] = 0)],
    ['with chunks of another size', (m: Loose) => ((m.weights as { chunkBytes: number }).chunkBytes = 1024)],
  ])('%s is refused with artifact_invalid', async (_, change) => {
    await expect(openChanged(change)).rejects.toMatchObject({ code: 'artifact_invalid' });
  });

  it.each(['', '[]', '{', '{"format":1,"format":2}', '['.repeat(1_000_000), '\u{feff}{}'])(
    'that is not one is refused: %.20s',
    async (text) => {
      await inFreshDirectory(async (parent) => {
        const directory = join(parent, 'model');
        await writeSmall(directory);
        writeFileSync(join(directory, 'manifest.json'), text);
        await expect(openArtifact(directory)).rejects.toMatchObject({ code: 'artifact_invalid' });
      });
    },
  );

  it('opens or is refused after each of 2,000 mutations, and never fails otherwise', () =>
    inFreshDirectory(async (parent) => {
      await writeSmall(join(parent, 'model'));
      expect(await mutateManifests(join(parent, 'model'), 2_000)).toBeGreaterThan(0);
    }));
});
