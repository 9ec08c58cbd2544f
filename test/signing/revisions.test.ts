import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signArtifact, trustAnything } from '../../src/signing/index.js';
import { inFreshDirectory, vector, writeSmall } from '../artifact/small-artifact.js';
import { createSigner, loadTrusted, withSigned, type SignedPlace } from './signed-artifact.js';

/** Another content under the same id. */
async function rewrite(directory: string, rows: number): Promise<void> {
  rmSync(join(directory, 'signature.json'), { force: true });
  rmSync(directory, { recursive: true });
  await writeSmall(directory, [vector('norm', rows)]);
}
const sign = ({ directory, trustDir }: Pick<SignedPlace, 'directory' | 'trustDir'>, seed: Uint8Array) =>
  signArtifact(directory, { seed, trustDir });
const signatures = (directory: string): unknown[] =>
  JSON.parse(readFileSync(join(directory, 'signature.json'), 'utf8')).signatures;

describe('signing', () => {
  it('of the same content again makes the same bytes', () =>
    withSigned(async (place) => {
      const before = readFileSync(join(place.directory, 'signature.json'));
      const { document, change } = await sign(place, place.signer.seed);
      expect([document.revision, change]).toEqual([1, undefined]);
      expect(readFileSync(join(place.directory, 'signature.json'))).toEqual(before);
      expect(readdirSync(place.parent).toSorted()).toEqual(['model', 'trust']);
    }));

  it('by others adds their signatures, and one of them that is trusted is enough', () =>
    withSigned(async (place) => {
      const others = [createSigner(), createSigner()];
      for (const { seed } of others) await sign(place, seed);
      expect(signatures(place.directory).length).toBe(3);
      for (const { key } of [place.signer, ...others]) {
        expect((await loadTrusted(place.directory, { ...place.policy, trustedKeys: [key] })).length).toBe(2);
      }
    }));

  it('of a changed content raises the revision, and drops the signatures of before', () =>
    withSigned(async (place) => {
      const old = readFileSync(join(place.directory, 'signature.json'));
      await rewrite(place.directory, 14);
      writeFileSync(join(place.directory, 'signature.json'), old);
      const other = createSigner();
      const { document, change } = await sign({ ...place, trustDir: join(place.parent, 'none') }, other.seed);
      expect(document.revision).toBe(2);
      expect(change).toMatch(/manifest\.json is not the file that was signed/);
      expect(signatures(place.directory)).toEqual([expect.objectContaining({ keyid: other.key })]);
    }));

  it('raises the revision that was seen, also where the signature of before is gone', () =>
    withSigned(async (place) => {
      await rewrite(place.directory, 14);
      expect((await sign(place, place.signer.seed)).document.revision).toBe(2);
      await rewrite(place.directory, 15);
      expect((await sign(place, place.signer.seed)).document.revision).toBe(3);
      // The newest content again is what was seen: no new revision.
      await rewrite(place.directory, 15);
      expect((await sign(place, place.signer.seed)).document.revision).toBe(3);
      await rewrite(place.directory, 14);
      expect((await sign(place, place.signer.seed)).document.revision).toBe(4);
      const [seen = ''] = readdirSync(place.trustDir);
      expect(readdirSync(join(place.trustDir, seen))).toEqual(['4']);
    }));

  it('refuses what is damaged, and a signature file that is broken', () =>
    withSigned(async (place) => {
      const weights = join(place.directory, 'weights.bin');
      const bytes = readFileSync(weights);
      writeFileSync(weights, Buffer.from(bytes).fill(7, 3, 9));
      await expect(sign(place, place.signer.seed)).rejects.toMatchObject({ code: 'artifact_corrupt' });
      writeFileSync(weights, bytes);
      writeFileSync(join(place.directory, 'signature.json'), '{}');
      await expect(sign(place, place.signer.seed)).rejects.toMatchObject({ code: 'signature_invalid' });
    }));

  it('takes no more than sixteen signatures', () =>
    withSigned(async (place) => {
      for (let i = 1; i < 16; i++) await sign(place, createSigner().seed);
      await expect(sign(place, createSigner().seed)).rejects.toThrow(/has 16 signatures already/);
      await sign(place, place.signer.seed);
      await loadTrusted(place.directory, place.policy);
    }));

  it('ends with the reason of its signal, and writes nothing', () =>
    inFreshDirectory(async (parent) => {
      const directory = join(parent, 'model');
      await writeSmall(directory);
      const reason = new Error('enough');
      const signal = AbortSignal.abort(reason);
      const { seed } = createSigner();
      await expect(signArtifact(directory, { seed, trustDir: join(parent, 'trust'), signal })).rejects.toBe(reason);
      expect([readdirSync(parent), readdirSync(directory)]).toEqual([
        ['model'],
        ['config.json', 'manifest.json', 'weights.bin'],
      ]);
    }));
});

describe('an older revision', () => {
  /** The artifact with revision 1 in `old`, and with revision 2 in its place. */
  const withTwo = (use: (place: SignedPlace & { old: string }) => Promise<void>) =>
    withSigned(async (place) => {
      const old = join(place.parent, 'old');
      cpSync(place.directory, old, { recursive: true });
      await rewrite(place.directory, 14);
      await sign(place, place.signer.seed);
      await use({ ...place, old, policy: { ...place.policy, trustDir: join(place.parent, 'other-machine') } });
    });

  it('is refused once a newer one was seen, and not before', () =>
    withTwo(async ({ directory, old, policy }) => {
      await loadTrusted(old, policy);
      await loadTrusted(directory, policy);
      await expect(loadTrusted(old, policy)).rejects.toMatchObject({
        code: 'signature_rollback',
        message: expect.stringContaining('revision 1 of small (q8), and this machine has seen revision 2'),
      });
      await loadTrusted(directory, policy);
    }));

  it('is loaded where that is allowed, and what was seen is not forgotten', () =>
    withTwo(async ({ directory, old, policy }) => {
      await loadTrusted(directory, policy);
      await loadTrusted(old, { ...policy, allowRollback: true });
      await expect(loadTrusted(old, policy)).rejects.toMatchObject({ code: 'signature_rollback' });
    }));

  it('is refused whether or not a signature is required, and only under a policy that trusts its signer', () =>
    withTwo(async ({ directory, old, policy }) => {
      const lenient = { ...policy, requireSigned: false };
      await loadTrusted(directory, lenient);
      await expect(loadTrusted(old, lenient)).rejects.toMatchObject({ code: 'signature_rollback' });
      await loadTrusted(old, { ...trustAnything, trustDir: policy.trustDir });
    }));

  it('is not recorded from an unknown signer, who could lock others out', () =>
    withSigned(async ({ directory, parent, policy }) => {
      const theirs = join(parent, 'theirs');
      const [other, trustDir] = [createSigner(), join(parent, 'their-trust')];
      for (const rows of [20, 21, 22]) {
        rmSync(theirs, { recursive: true, force: true });
        await writeSmall(theirs, [vector('norm', rows)]);
        await signArtifact(theirs, { seed: other.seed, trustDir });
      }
      const lenient = { ...policy, requireSigned: false };
      await loadTrusted(theirs, lenient);
      await expect(loadTrusted(theirs, policy)).rejects.toMatchObject({ code: 'signature_untrusted' });
      await loadTrusted(directory, policy);
    }));

  it('cannot be told where what was seen can neither be read nor written', () =>
    withSigned(async ({ directory, parent, policy }) => {
      const file = join(parent, 'file');
      writeFileSync(file, '');
      const inTheWay = { ...policy, trustDir: join(file, 'trust') };
      await expect(loadTrusted(directory, inTheWay)).rejects.toMatchObject({ code: 'path_invalid' });
    }));
});
