import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  CHUNK_BYTES,
  createArtifactWriter,
  loadWeights,
  openArtifact,
  type LoadProgress,
} from '../../src/artifact/index.js';
import { head, inFreshDirectory, matrix, pattern, smallTensors, vector, writeSmall } from './small-artifact.js';

const code = (name: string): unknown => expect.objectContaining({ code: name });
const onSmall = (use: (directory: string) => Promise<void>): Promise<void> =>
  inFreshDirectory(async (parent) => {
    const directory = join(parent, 'model');
    await writeSmall(directory);
    await use(directory);
  });
const openOnce = async (directory: string): Promise<void> => {
  await using artifact = await openArtifact(directory);
  expect(artifact.directory).toBe(directory);
};

describe('artifact', () => {
  it('gives back the tensors and files that were written', () =>
    onSmall(async (directory) => {
      await using artifact = await openArtifact(directory);
      expect(artifact.manifest).toMatchObject({ ...head, formatVersion: 1, packingVersion: 1 });
      expect(artifact.manifest.tensors.map(({ offset }) => offset)).toEqual([0, 4096, 8192]);
      for (const { name, bytes } of smallTensors) {
        const entry = artifact.manifest.tensors.find((tensor) => tensor.name === name);
        if (entry === undefined) throw new Error(`no tensor ${name}`);
        const into = new Uint8Array(entry.sizeBytes);
        await artifact.readTensor(entry, into);
        expect(into).toEqual(bytes);
      }
      expect(Buffer.from(await artifact.readFile('config.json')).toString()).toBe('{"model_type":"llama"}');
      await expect(artifact.readFile('tokenizer.bin')).rejects.toThrowError(code('artifact_not_found'));
      await artifact.verifyWeights();
    }));

  it('hashes on a thread what it hashes here, wherever the bytes lie', () =>
    inFreshDirectory(async (parent) => {
      const tensor = matrix('large', 4096, 4480);
      const shared = new Uint8Array(new SharedArrayBuffer(tensor.bytes.length));
      shared.set(tensor.bytes);
      const cut = 1_000_003;
      const pieces = [
        [tensor.bytes],
        [shared.subarray(0, cut), shared.subarray(cut)],
        [tensor.bytes.slice(0, cut), tensor.bytes.subarray(cut)],
      ];
      // Sizes that are written here, and on a thread.
      const chunks = await Promise.all(
        [0, 512 * 1024 * 1024].flatMap((totalBytes) =>
          pieces.map(async (parts, index) => {
            const out = join(parent, `${totalBytes}-${index}`);
            await using writer = await createArtifactWriter(out, { totalBytes });
            await writer.addTensor(vector('norm', 13), [vector('norm', 13).bytes]);
            await writer.addTensor(tensor, parts);
            return (await writer.finish(head)).weights.chunkSha256;
          }),
        ),
      );
      const weights = readFileSync(join(parent, '0-0', 'weights.bin'));
      const expected = [weights.subarray(0, CHUNK_BYTES), weights.subarray(CHUNK_BYTES)].map((chunk) =>
        createHash('sha256').update(chunk).digest('hex'),
      );
      expect(weights.length).toBeGreaterThan(CHUNK_BYTES);
      for (const sums of chunks) expect(sums).toEqual(expected);
    }));

  it('ends the thread of a writer that is given up', () =>
    inFreshDirectory(async (parent) => {
      {
        await using writer = await createArtifactWriter(join(parent, 'm'), { totalBytes: 512 * 1024 * 1024 });
        await writer.addTensor(vector('norm', 13), [vector('norm', 13).bytes]);
      }
      expect(process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name))).toEqual([]);
      expect(readdirSync(parent)).toEqual([]);
    }));

  it('lists the SHA-256 of every file', () =>
    onSmall(async (directory) => {
      await using artifact = await openArtifact(directory);
      expect(artifact.manifest.files.map(({ path }) => path)).toEqual(['config.json', 'weights.bin']);
      for (const { path, sha256, sizeBytes } of artifact.manifest.files) {
        const bytes = readFileSync(join(directory, path));
        const hashes = sha256 === undefined ? artifact.manifest.weights.chunkSha256 : [sha256];
        expect([createHash('sha256').update(bytes).digest('hex')]).toEqual(hashes);
        expect(bytes.length).toBe(sizeBytes);
      }
    }));

  it('is the same bytes for the same input', () =>
    inFreshDirectory(async (parent) => {
      await writeSmall(join(parent, 'a'));
      await writeSmall(join(parent, 'b'));
      for (const name of readdirSync(join(parent, 'a'))) {
        expect(readFileSync(join(parent, 'a', name))).toEqual(readFileSync(join(parent, 'b', name)));
      }
    }));

  it('keeps reading what it opened when the directory is replaced', () =>
    onSmall(async (directory) => {
      await using artifact = await openArtifact(directory);
      renameSync(directory, `${directory}-gone`);
      await artifact.verifyWeights();
      expect((await artifact.readFile('config.json')).length).toBe(22);
    }));
});

describe('artifact writer', () => {
  it('refuses a path that is taken, by a file, a directory or a link', () =>
    inFreshDirectory(async (parent) => {
      writeFileSync(join(parent, 'file'), '');
      mkdirSync(join(parent, 'directory'));
      symlinkSync('nowhere', join(parent, 'link'));
      for (const name of ['file', 'directory', 'link']) {
        await expect(createArtifactWriter(join(parent, name))).rejects.toThrowError(code('output_exists'));
      }
      expect(readdirSync(parent).length).toBe(3);
    }));

  it('refuses a path that was taken while it wrote, and leaves it alone', () =>
    inFreshDirectory(async (parent) => {
      const out = join(parent, 'model');
      {
        await using writer = await createArtifactWriter(out);
        mkdirSync(out);
        await expect(writer.finish(head)).rejects.toThrowError(code('output_exists'));
      }
      expect(readdirSync(parent)).toEqual(['model']);
      expect(readdirSync(out)).toEqual([]);
    }));

  // Only Linux has a place where a directory cannot be made and its parent cannot be missed.
  it.skipIf(process.platform !== 'linux')('ends with an error where no directory can be made', async () => {
    await expect(createArtifactWriter('/proc/none/model')).rejects.toMatchObject({ code: 'path_invalid' });
  });

  it('leaves nothing behind when its source fails or its signal aborts', () =>
    inFreshDirectory(async (parent) => {
      const out = join(parent, 'deep', 'er', 'model');
      const tensor = matrix('a', 8, 32);
      const fail = async (reason: unknown, abort?: AbortController): Promise<void> => {
        await using writer = await createArtifactWriter(out, { signal: abort?.signal });
        await writer.addTensor(
          tensor,
          (function* () {
            yield tensor.bytes.subarray(0, 100);
            if (abort === undefined) throw reason;
            abort.abort(reason);
            yield tensor.bytes.subarray(100);
          })(),
        );
      };
      const reason = new Error('stop');
      await expect(fail(reason)).rejects.toBe(reason);
      await expect(fail(reason, new AbortController())).rejects.toBe(reason);
      expect(readdirSync(join(parent, 'deep', 'er'))).toEqual([]);
    }));
});

describe('artifact reader', () => {
  it('says artifact_not_found for nothing, a file and an empty directory', () =>
    inFreshDirectory(async (parent) => {
      writeFileSync(join(parent, 'file'), 'x');
      for (const path of [join(parent, 'none'), join(parent, 'file'), parent]) {
        await expect(openOnce(path)).rejects.toThrowError(code('artifact_not_found'));
      }
      writeFileSync(join(parent, 'config.json'), '{}');
      await expect(openOnce(parent)).rejects.toThrowError(/convert it first/);
    }));

  it.each([
    ['a missing file', (d: string) => renameSync(join(d, 'config.json'), `${d}-config`)],
    ['a renamed file', (d: string) => renameSync(join(d, 'config.json'), join(d, 'Config.json'))],
    ['an added file', (d: string) => writeFileSync(join(d, 'extra'), '')],
    ['an added directory', (d: string) => mkdirSync(join(d, 'extra'))],
    ['an altered file', (d: string) => writeFileSync(join(d, 'config.json'), '{"model_type":"qwen3"}')],
    ['a longer file', (d: string) => writeFileSync(join(d, 'config.json'), '{"model_type":"llama"} ')],
    ['cut weights', (d: string) => truncateSync(join(d, 'weights.bin'), 5000)],
    [
      'a link in place of a file',
      (d: string) => {
        renameSync(join(d, 'config.json'), `${d}-config`);
        symlinkSync(`${d}-config`, join(d, 'config.json'));
      },
    ],
    [
      'a link in place of the manifest',
      (d: string) => {
        renameSync(join(d, 'manifest.json'), `${d}-manifest`);
        symlinkSync(`${d}-manifest`, join(d, 'manifest.json'));
      },
    ],
  ])('refuses %s with artifact_corrupt', (_, harm) =>
    onSmall(async (directory) => {
      harm(directory);
      await expect(openOnce(directory)).rejects.toThrowError(code('artifact_corrupt'));
    }),
  );

  it('refuses every flipped byte of every file, on opening or on loading', () =>
    inFreshDirectory(async (parent) => {
      const directory = join(parent, 'model');
      await writeSmall(directory, [vector('norm', 13)]);
      for (const name of ['config.json', 'weights.bin']) {
        const path = join(directory, name);
        const bytes = readFileSync(path);
        for (let i = 0; i < bytes.length; i++) {
          bytes[i] = (bytes[i] as number) ^ 0x10;
          writeFileSync(path, bytes);
          const use = async (): Promise<void> => {
            await using artifact = await openArtifact(directory);
            await artifact.verifyWeights();
          };
          await expect(use()).rejects.toThrowError(code('artifact_corrupt'));
          bytes[i] = (bytes[i] as number) ^ 0x10;
        }
        writeFileSync(path, bytes);
      }
      await openOnce(directory);
    }));
});

describe('loading weights', () => {
  // Chunks that begin and end inside of tensors, unused tensors, gaps: 40 MB in three chunks.
  const tensors = [
    vector('a', 1000),
    matrix('b', 4096, 4096),
    matrix('c', 8, 32),
    matrix('d', 3000, 4100),
    matrix('e', 1024, 8192, 'q4'),
    vector('f', 5),
  ];

  it.each([1, 2, 3])('fills targets and checks hashes with %d threads', (threads) =>
    inFreshDirectory(async (parent) => {
      const directory = join(parent, 'model');
      await writeSmall(directory, tensors);
      await using artifact = await openArtifact(directory);
      expect(artifact.manifest.weights.chunkSha256.length).toBeGreaterThan(2);
      for (const wanted of [tensors, tensors.filter(({ name }) => name === 'c' || name === 'e'), []]) {
        const placements = wanted.map(({ name }) => {
          const entry = artifact.manifest.tensors.find((tensor) => tensor.name === name);
          if (entry === undefined) throw new Error(`no tensor ${name}`);
          const memory = new SharedArrayBuffer(entry.sizeBytes + 64);
          return { entry, target: new Uint8Array(memory, 64) };
        });
        for (const verify of [true, false]) {
          for (const { target } of placements) target.fill(0);
          const told: LoadProgress[] = [];
          const onProgress = (progress: LoadProgress): void => void told.push(progress);
          await loadWeights(artifact, placements.toReversed(), { verify, threads, onProgress });
          const totalBytes = statSync(join(directory, 'weights.bin')).size;
          expect(told[0]).toEqual({ phase: 'load', doneBytes: 0, totalBytes });
          expect(told.at(-1)).toEqual({ phase: 'load', doneBytes: totalBytes, totalBytes });
          expect(told).toEqual(told.toSorted((one, other) => one.doneBytes - other.doneBytes));
          placements.forEach(({ target }, i) => {
            expect(Buffer.compare(target, wanted[i]?.bytes ?? new Uint8Array(0))).toBe(0);
          });
        }
      }
      const altered = pattern(1, 9);
      const path = join(directory, 'weights.bin');
      const bytes = readFileSync(path);
      bytes[CHUNK_BYTES + 77] = (bytes[CHUNK_BYTES + 77] as number) ^ ((altered[0] as number) | 1);
      writeFileSync(path, bytes);
      await expect(loadWeights(artifact, [], { verify: true, threads })).rejects.toMatchObject({
        code: 'artifact_corrupt',
        message: expect.stringContaining('chunk 1'),
      });
      truncateSync(path, 2 * CHUNK_BYTES + 5);
      await expect(loadWeights(artifact, [], { verify: true, threads })).rejects.toThrowError(code('artifact_corrupt'));
    }),
  );

  it('ends with the reason of its signal', () =>
    onSmall(async (directory) => {
      await using artifact = await openArtifact(directory);
      const reason = new Error('enough');
      await expect(artifact.verifyWeights({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    }));

  it('fills memory that is not shared, too', () =>
    onSmall(async (directory) => {
      await using artifact = await openArtifact(directory);
      const placements = artifact.manifest.tensors.map((entry) => ({ entry, target: new Uint8Array(entry.sizeBytes) }));
      await loadWeights(artifact, placements, { verify: true, threads: 2 });
      expect(placements.map(({ target }) => target)).toEqual(smallTensors.map(({ bytes }) => bytes));
    }));
});
