import {
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openArtifact } from '../../src/artifact/index.js';
import { openTrusted, signArtifact, signatureStateOf, trustAnything } from '../../src/signing/index.js';
import { vector, writeSmall } from '../artifact/small-artifact.js';
import { createSigner, loadTrusted, withSigned } from './signed-artifact.js';

const REFUSED = /^(signature_invalid|signature_untrusted|artifact_invalid|artifact_corrupt|artifact_version)$/;

/** The code with which a load is refused; fails where it is not. */
async function refusal(load: Promise<unknown>): Promise<string> {
  const error: unknown = await load.then(
    () => {
      throw new Error('it was loaded');
    },
    (thrown: unknown) => thrown,
  );
  const { code = String(error) } = error as { code?: string };
  return code;
}

describe('a signed artifact', () => {
  it('is loaded where its signer is trusted, and says who that is', () =>
    withSigned(async ({ directory, policy, signer }) => {
      expect(await loadTrusted(directory, policy)).toEqual([
        vector('norm', 13).bytes,
        Buffer.from('{"model_type":"llama"}'),
      ]);
      const { source, signature } = await openTrusted(directory, openArtifact, policy);
      await source[Symbol.asyncDispose]();
      expect(signature).toEqual({ state: 'trusted', keys: [signer.key], signers: [signer.key], revision: 1 });
      expect(await signatureStateOf(directory)).toMatchObject({ state: 'unknown', keys: [signer.key], revision: 1 });
    }));

  it('is refused with any byte of any file flipped, whatever is required', () =>
    withSigned(async ({ directory, policy }) => {
      let numFlips = 0;
      for (const name of readdirSync(directory)) {
        const path = join(directory, name);
        const bytes = readFileSync(path);
        for (let i = 0; i < bytes.length; i++) {
          // Another bit of each byte: the low ones make other digits and letters, the sixth another case.
          const flipped = Uint8Array.from(bytes);
          flipped[i] = (bytes[i] as number) ^ (1 << (i % 7));
          writeFileSync(path, flipped);
          expect([name, i, await refusal(loadTrusted(directory, policy))]).toEqual([
            name,
            i,
            expect.stringMatching(REFUSED),
          ]);
          if (i % 8 === 0) expect(await refusal(loadTrusted(directory, trustAnything))).toMatch(REFUSED);
          numFlips++;
        }
        writeFileSync(path, bytes);
      }
      await loadTrusted(directory, policy);
      const sizes = readdirSync(directory).map((name) => readFileSync(join(directory, name)).length);
      expect([sizes.length, numFlips]).toEqual([4, sizes.reduce((sum, size) => sum + size)]);
    }));

  it.each<[string, (directory: string, parent: string) => void]>([
    ['a file is added', (d) => writeFileSync(join(d, 'extra.json'), '{}')],
    ['an empty file is added', (d) => writeFileSync(join(d, 'a'), '')],
    ['a directory is added', (d) => mkdirSync(join(d, 'extra'))],
    ['what was half written is added', (d) => writeFileSync(join(d, 'signature.json.partial-0123456789ab'), '{}')],
    ['a hidden file is added', (d) => writeFileSync(join(d, '.hidden'), '')],
    ['a file is removed', (d) => unlinkSync(join(d, 'config.json'))],
    ['the weights are removed', (d) => unlinkSync(join(d, 'weights.bin'))],
    ['a file is renamed', (d) => renameSync(join(d, 'config.json'), join(d, 'other.json'))],
    ['a name is written in capitals', (d) => renameSync(join(d, 'config.json'), join(d, 'Config.json'))],
    ['a name is doubled in capitals', (d) => copyFileSync(join(d, 'config.json'), join(d, 'CONFIG.JSON'))],
    ['the signature is doubled in capitals', (d) => copyFileSync(join(d, 'signature.json'), join(d, 'Signature.json'))],
    ['a name has a look-alike letter', (d) => renameSync(join(d, 'config.json'), join(d, 'c\u043enfig.json'))],
    ['a name has a composed letter', (d) => writeFileSync(join(d, 'caf\u00e9'), '')],
    ['a name has the same letter in two parts', (d) => writeFileSync(join(d, 'cafe\u0301'), '')],
    ['a name ends in a blank', (d) => renameSync(join(d, 'config.json'), join(d, 'config.json '))],
    ['a file is a link to itself elsewhere', (d, p) => toLink(d, p, 'config.json')],
    ['the weights are a link', (d, p) => toLink(d, p, 'weights.bin')],
    ['the manifest is a link', (d, p) => toLink(d, p, 'manifest.json')],
    ['the signature is a link', (d, p) => toLink(d, p, 'signature.json')],
    ['a link is added', (d) => symlinkSync('config.json', join(d, 'more.json'))],
    ['a second name of a file is added', (d) => linkSync(join(d, 'config.json'), join(d, 'more.json'))],
    [
      'a file is a directory',
      (d) => {
        unlinkSync(join(d, 'config.json'));
        mkdirSync(join(d, 'config.json'));
      },
    ],
    ['the weights are cut', (d) => truncateSync(join(d, 'weights.bin'), 10)],
    ['the weights are longer', (d) => writeFileSync(join(d, 'weights.bin'), Buffer.alloc(1), { flag: 'a' })],
    ['the signature is empty', (d) => writeFileSync(join(d, 'signature.json'), '')],
    ['the signature has a newline more', (d) => writeFileSync(join(d, 'signature.json'), '\n', { flag: 'a' })],
    ['the signature is huge', (d) => truncateSync(join(d, 'signature.json'), 17 * 2 ** 20)],
  ])('is refused when %s', (_, harm) =>
    withSigned(async ({ directory, parent, policy }) => {
      harm(directory, parent);
      for (const each of [policy, trustAnything])
        expect(await refusal(loadTrusted(directory, each))).toBe('signature_invalid');
    }),
  );

  it('is unsigned without its signature: loaded, or refused where one is required', () =>
    withSigned(async ({ directory, policy }) => {
      unlinkSync(join(directory, 'signature.json'));
      expect(await refusal(loadTrusted(directory, policy))).toBe('signature_missing');
      expect((await loadTrusted(directory, trustAnything)).length).toBe(2);
      expect(await signatureStateOf(directory)).toEqual({ state: 'unsigned' });
    }));

  it('is refused where another key is trusted, and loaded where none is required', () =>
    withSigned(async ({ directory, policy }) => {
      expect(await refusal(loadTrusted(directory, { ...policy, trustedKeys: [createSigner().key] }))).toBe(
        'signature_untrusted',
      );
      expect((await loadTrusted(directory, { ...policy, requireSigned: false, trustedKeys: [] })).length).toBe(2);
    }));

  it('is refused with the manifest, the signature or both of another artifact of the same signer', () =>
    withSigned(async ({ directory, parent, policy, signer, trustDir }) => {
      const other = join(parent, 'other');
      await writeSmall(other, [vector('norm', 14)]);
      await signArtifact(other, { seed: signer.seed, trustDir });
      await loadTrusted(other, policy);
      for (const names of [
        ['manifest.json'],
        ['signature.json'],
        ['manifest.json', 'signature.json'],
        ['weights.bin'],
      ]) {
        const mixed = join(parent, `mixed-${names.join('-')}`);
        cpSync(directory, mixed, { recursive: true });
        for (const name of names) copyFileSync(join(other, name), join(mixed, name));
        for (const each of [{ ...policy, allowRollback: true }, trustAnything]) {
          expect(await refusal(loadTrusted(mixed, each))).toBe('signature_invalid');
        }
      }
    }));

  it('is refused when manifest and content are changed together, which an unsigned artifact cannot notice', () =>
    withSigned(async ({ directory, parent, policy }) => {
      const other = join(parent, 'other');
      await writeSmall(other, [vector('norm', 14)]);
      copyFileSync(join(directory, 'signature.json'), join(other, 'signature.json'));
      expect(await refusal(loadTrusted(other, policy))).toBe('signature_invalid');
      expect(await signatureStateOf(other)).toEqual({
        state: 'tampered',
        why: expect.stringMatching(
          /manifest\.json is not the file that was signed|weights\.bin is not the file that was signed/,
        ),
      });
    }));
});

describe('between verifying and loading', () => {
  it('a change of the weights is noticed while they are read', () =>
    withSigned(async ({ directory, policy }) => {
      const { source } = await openTrusted(directory, openArtifact, policy);
      await using opened = source;
      const path = join(directory, 'weights.bin');
      const bytes = readFileSync(path);
      bytes[20] = (bytes[20] as number) ^ 1;
      writeFileSync(path, bytes);
      const placements = opened.manifest.tensors.map((entry) => ({ entry, target: new Uint8Array(entry.sizeBytes) }));
      await expect(opened.fill(placements, {})).rejects.toMatchObject({
        code: 'signature_invalid',
        message: expect.stringContaining('weights.bin is altered'),
      });
    }));

  it('other files in the place of the verified ones are not what is loaded', () =>
    withSigned(async ({ directory, parent, policy }) => {
      const { source } = await openTrusted(directory, openArtifact, policy);
      await using opened = source;
      const other = join(parent, 'other');
      await writeSmall(other, [vector('norm', 14)]);
      for (const name of ['config.json', 'manifest.json', 'weights.bin'])
        renameSync(join(other, name), join(directory, name));
      writeFileSync(join(directory, 'config.json'), '{"model_type":"qwen3"}');
      const [entry] = opened.manifest.tensors;
      if (entry === undefined) throw new Error('no tensor');
      const target = new Uint8Array(entry.sizeBytes);
      await opened.fill(Array.of({ entry, target }), {});
      expect(target).toEqual(vector('norm', 13).bytes);
      expect(Buffer.from(await opened.readFile('config.json')).toString()).toBe('{"model_type":"llama"}');
    }));

  it('weights that end early are refused', () =>
    withSigned(async ({ directory, policy }) => {
      const { source } = await openTrusted(directory, openArtifact, policy);
      await using opened = source;
      truncateSync(join(directory, 'weights.bin'), 8);
      const placements = opened.manifest.tensors.map((entry) => ({ entry, target: new Uint8Array(entry.sizeBytes) }));
      await expect(opened.fill(placements, {})).rejects.toMatchObject({ code: 'signature_invalid' });
    }));
});

function toLink(directory: string, parent: string, name: string): void {
  const moved = join(parent, `moved-${name}`);
  rmSync(moved, { force: true });
  renameSync(join(directory, name), moved);
  symlinkSync(moved, join(directory, name));
}
