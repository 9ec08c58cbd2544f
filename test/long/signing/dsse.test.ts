// Our signatures by independent programs, and theirs by ours: securesystemslib, cryptography and Sigstore's schema, in Python.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  exportBundle,
  generateKeyFiles,
  importBundle,
  PAYLOAD_TYPE,
  signArtifact,
  verifyArtifact,
} from '../../../src/signing/index.js';
import { createSigner, loadTrusted, withSigned } from '../../signing/signed-artifact.js';
import { installPython } from '../../support/python-packages.js';

const PACKAGES = ['securesystemslib[crypto]==1.6.0', 'cryptography==50.0.2', 'sigstore-protobuf-specs==0.5.2'];
let python = '';

beforeAll(async () => {
  const installed = await installPython(PACKAGES);
  if ('reason' in installed) throw new Error(installed.reason);
  ({ python } = installed);
}, 600_000);

function ask(command: string, input: object): unknown {
  const program = join(process.cwd(), 'test', 'long', 'signing', 'dsse_peer.py');
  const output = execFileSync(python, [program, command], { input: JSON.stringify(input), encoding: 'utf8' });
  return JSON.parse(output);
}

interface Verified {
  readonly answers: readonly (readonly [byLibrary: boolean, byHand: boolean])[];
  readonly payload: string;
  readonly type: string;
}

describe('signature.json', () => {
  it('is verified by securesystemslib and by cryptography, for the keys that signed it and no other', () =>
    withSigned(async ({ directory, signer, trustDir }) => {
      const [second, stranger] = [createSigner(), createSigner()];
      await signArtifact(directory, { seed: second.seed, trustDir });
      const envelope = readFileSync(join(directory, 'signature.json'), 'utf8');
      const keys = [signer.key, second.key, stranger.key];
      const { answers, payload, type } = ask('verify', { envelope, keys }) as Verified;
      expect(answers).toEqual([
        [true, true],
        [true, true],
        [false, false],
      ]);
      expect(type).toBe(PAYLOAD_TYPE);
      expect(JSON.parse(payload)).toMatchObject({ format: 'troupe-signed-artifact', id: 'small', revision: 1 });
      const changed = JSON.parse(envelope);
      changed.payload = Buffer.from(payload.replace('"revision":1', '"revision":2')).toString('base64');
      const after = ask('verify', { envelope: JSON.stringify(changed), keys }) as Verified;
      expect(after.answers.flat()).toEqual(new Array(6).fill(false));
    }));

  it('of theirs is verified by us, and taken into the artifact', () =>
    withSigned(async ({ directory, parent, policy }) => {
      const { publicKey, privateKeyFile } = await generateKeyFiles(join(parent, 'they'));
      const envelope = JSON.parse(readFileSync(join(directory, 'signature.json'), 'utf8'));
      const payload = Buffer.from(envelope.payload, 'base64').toString();
      const input = { privateKeyFile, payload, type: PAYLOAD_TYPE };
      const theirs = ask('sign', input) as { envelope: string; keyid: string };
      const bundle = join(parent, 'theirs.json');
      writeFileSync(bundle, theirs.envelope);
      const trusting = { ...policy, trustedKeys: [publicKey] };
      rmSync(join(directory, 'signature.json'));
      expect(await verifyArtifact(directory, { ...trusting, bundle })).toMatchObject({
        state: 'trusted',
        keys: [publicKey],
      });
      await expect(verifyArtifact(directory, { ...policy, bundle })).rejects.toMatchObject({
        code: 'signature_untrusted',
      });
      await importBundle(directory, { ...trusting, bundle });
      expect((await loadTrusted(directory, trusting)).length).toBe(2);
      const taken = readFileSync(join(directory, 'signature.json'), 'utf8');
      const { answers } = ask('verify', { envelope: taken, keys: [publicKey] }) as Verified;
      const [, byHand] = answers[0] ?? [false, false];
      expect(byHand).toBe(true);
      const other = ask('sign', { ...input, payload: `${payload} ` }) as { envelope: string };
      writeFileSync(bundle, other.envelope);
      await expect(verifyArtifact(directory, { ...trusting, bundle })).rejects.toMatchObject({
        code: 'signature_invalid',
      });
    }));
});

describe('a bundle', () => {
  it('is read by Sigstore’s schema, and what that writes is read by us', () =>
    withSigned(async ({ directory, parent, policy }) => {
      const text = await exportBundle(directory);
      const envelope = JSON.parse(readFileSync(join(directory, 'signature.json'), 'utf8'));
      const read = ask('bundle', { bundle: text }) as Record<string, unknown>;
      const { written, ...fields } = read;
      expect(fields).toEqual({
        mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
        hint: JSON.parse(text).verificationMaterial.publicKey.hint,
        entries: 0,
        payload: Buffer.from(envelope.payload, 'base64').toString(),
        type: PAYLOAD_TYPE,
        signatures: [Buffer.from(envelope.signatures[0].sig, 'base64').toString('hex')],
      });
      const bundle = join(parent, 'written.json');
      writeFileSync(bundle, JSON.stringify(written));
      rmSync(join(directory, 'signature.json'));
      expect(await verifyArtifact(directory, { ...policy, bundle })).toMatchObject({ state: 'trusted' });
    }));
});
