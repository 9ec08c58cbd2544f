import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportBundle, importBundle, PAYLOAD_TYPE, signArtifact, verifyArtifact } from '../../src/signing/index.js';
import { toDer } from '../../src/signing/ed25519.js';
import { createSigner, loadTrusted, withSigned, type SignedPlace } from './signed-artifact.js';

interface Bundle {
  readonly mediaType: string;
  readonly dsseEnvelope: { readonly payload: string };
}
const withEnvelope = (json: Bundle, change: object): unknown => ({
  ...json,
  dsseEnvelope: { ...json.dsseEnvelope, ...change },
});

/** Runs `use` with a signed artifact and its bundle. */
const withBundle = (use: (place: SignedPlace & { bundle: string; text: string }) => Promise<void>) =>
  withSigned(async (place) => {
    const [bundle, text] = [join(place.parent, 'bundle.json'), await exportBundle(place.directory)];
    writeFileSync(bundle, text);
    await use({ ...place, bundle, text });
  });

describe('a bundle', () => {
  it('has the form of Sigstore’s version 0.3', () =>
    withBundle(async ({ text, signer, directory }) => {
      const envelope = JSON.parse(readFileSync(join(directory, 'signature.json'), 'utf8'));
      const hint = createHash('sha256')
        .update(toDer(Buffer.from(signer.key, 'hex')))
        .digest('base64');
      expect(JSON.parse(text)).toEqual({
        mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
        verificationMaterial: { publicKey: { hint }, tlogEntries: [] },
        dsseEnvelope: {
          payload: envelope.payload,
          payloadType: PAYLOAD_TYPE,
          signatures: [{ sig: envelope.signatures[0].sig, keyid: '' }],
        },
      });
    }));

  it('verifies an artifact without a signature of its own, and is taken into it', () =>
    withBundle(async ({ directory, bundle, policy }) => {
      const before = readFileSync(join(directory, 'signature.json'));
      rmSync(join(directory, 'signature.json'));
      expect(await verifyArtifact(directory, { ...policy, bundle })).toMatchObject({
        state: 'trusted',
        revision: 1,
        numFiles: 3,
      });
      await expect(verifyArtifact(directory, policy)).rejects.toMatchObject({ code: 'signature_missing' });
      await importBundle(directory, { ...policy, bundle });
      expect(readFileSync(join(directory, 'signature.json'))).toEqual(before);
    }));

  it('is taken in beside the signatures that are there', () =>
    withBundle(async ({ directory, bundle, policy, signer, trustDir }) => {
      const other = createSigner();
      rmSync(join(directory, 'signature.json'));
      await signArtifact(directory, { seed: other.seed, trustDir });
      await expect(loadTrusted(directory, policy)).rejects.toMatchObject({ code: 'signature_untrusted' });
      await importBundle(directory, { ...policy, bundle });
      for (const { key } of [other, signer]) await loadTrusted(directory, { ...policy, trustedKeys: [key] });
      await expect(exportBundle(directory)).rejects.toThrow(/several signatures.*--key/);
      expect(JSON.parse(await exportBundle(directory, signer.key))).toEqual(JSON.parse(readFileSync(bundle, 'utf8')));
    }));

  it('of an untrusted signer, or of another content, verifies nothing', () =>
    withBundle(async ({ directory, bundle, policy, text }) => {
      const untrusting = { ...policy, trustedKeys: [createSigner().key], bundle };
      await expect(verifyArtifact(directory, untrusting)).rejects.toMatchObject({ code: 'signature_untrusted' });
      const json = JSON.parse(text);
      const payload = JSON.parse(Buffer.from(json.dsseEnvelope.payload, 'base64').toString());
      json.dsseEnvelope.payload = Buffer.from(JSON.stringify({ ...payload, id: 'other' })).toString('base64');
      writeFileSync(bundle, JSON.stringify(json));
      await expect(verifyArtifact(directory, { ...policy, bundle })).rejects.toMatchObject({
        code: 'signature_untrusted',
      });
    }));

  it('does not make up for a signature in the artifact that is broken, or for a file that is', () =>
    withBundle(async ({ directory, bundle, policy }) => {
      const own = join(directory, 'signature.json');
      const text = readFileSync(own, 'utf8');
      writeFileSync(
        own,
        text.replace(/"sig":"(.)/, (_, first) => `"sig":"${first === 'A' ? 'B' : 'A'}`),
      );
      await expect(verifyArtifact(directory, { ...policy, bundle })).rejects.toMatchObject({
        code: 'signature_invalid',
      });
      rmSync(own);
      writeFileSync(join(directory, 'config.json'), '{"model_type":"qwen3"}');
      await expect(verifyArtifact(directory, { ...policy, bundle })).rejects.toMatchObject({
        code: 'signature_invalid',
      });
    }));

  it('may be a DSSE envelope alone, with any keyid, and members of others', () =>
    withBundle(async ({ directory, bundle, policy, text }) => {
      const { dsseEnvelope } = JSON.parse(text);
      const [{ sig }] = dsseEnvelope.signatures;
      writeFileSync(
        bundle,
        JSON.stringify({ ...dsseEnvelope, signatures: [{ keyid: 'somebody', sig, cert: 'none' }] }),
      );
      expect(await verifyArtifact(directory, { ...policy, bundle })).toMatchObject({ state: 'trusted' });
    }));

  it.each<[string, (json: Bundle) => unknown]>([
    ['an array', () => []],
    ['a number', () => 7],
    ['no mediaType', ({ dsseEnvelope }) => ({ dsseEnvelope })],
    ['another version', (json) => ({ ...json, mediaType: 'application/vnd.dev.sigstore.bundle.v0.4+json' })],
    ['a message signature', ({ mediaType }) => ({ mediaType, messageSignature: {} })],
    ['no signatures', (json) => withEnvelope(json, { signatures: [] })],
    ['another payload type', (json) => withEnvelope(json, { payloadType: 'application/vnd.in-toto+json' })],
    ['a signature cut off', (json) => withEnvelope(json, { signatures: [{ sig: 'AAAA' }] })],
    ['base64 with a blank', (json) => withEnvelope(json, { payload: `${json.dsseEnvelope.payload} ` })],
    ['base64 of the URL kind', (json) => withEnvelope(json, { payload: '_-__' })],
  ])('with %s is refused', (_, change) =>
    withBundle(async ({ directory, bundle, policy, text }) => {
      writeFileSync(bundle, JSON.stringify(change(JSON.parse(text))));
      await expect(verifyArtifact(directory, { ...policy, bundle })).rejects.toMatchObject({ code: 'bundle_invalid' });
    }),
  );

  it('with any bytes in it is read or refused with a code of ours', () =>
    withBundle(async ({ directory, bundle, policy, text }) => {
      await fc.assert(
        fc.asyncProperty(fc.nat(text.length - 1), fc.nat(60), fc.string({ maxLength: 8 }), async (at, length, more) => {
          writeFileSync(bundle, text.slice(0, at) + more + text.slice(at + length));
          const code = await verifyArtifact(directory, { ...policy, bundle }).then(
            () => 'verified',
            (error: { code?: string }) => error.code,
          );
          expect(code).toMatch(/^(verified|bundle_invalid|signature_untrusted)$/);
        }),
        { numRuns: 150 },
      );
    }));
});
