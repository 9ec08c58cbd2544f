// Small artifacts that are signed, and what opens them.
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { openArtifact } from '../../src/artifact/index.js';
import { openTrusted, signArtifact, type TrustPolicy } from '../../src/signing/index.js';
import { inFreshDirectory, vector, writeSmall } from '../artifact/small-artifact.js';

/** A key pair of a signer. */
export interface Signer {
  readonly seed: Uint8Array;
  /** The public key, 64 hexadecimal digits. */
  readonly key: string;
}

export function createSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    seed: privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(16),
    key: publicKey.export({ format: 'der', type: 'spki' }).subarray(12).toString('hex'),
  };
}

/** An artifact of one tensor, signed by `signer`, and where what was seen of it is remembered. */
export interface SignedPlace {
  readonly parent: string;
  readonly directory: string;
  readonly trustDir: string;
  readonly signer: Signer;
  /** Only what the signer signed. */
  readonly policy: TrustPolicy;
}

/** Runs `use` with a small artifact that was signed, in a fresh directory. */
export async function withSigned<T>(use: (place: SignedPlace) => Promise<T>): Promise<T> {
  return inFreshDirectory(async (parent) => {
    const [directory, trustDir, signer] = [join(parent, 'model'), join(parent, 'trust'), createSigner()];
    await writeSmall(directory, [vector('norm', 13)]);
    await signArtifact(directory, { seed: signer.seed, trustDir });
    const policy = { requireSigned: true, trustedKeys: [signer.key], allowRollback: false, trustDir };
    return use({ parent, directory, trustDir, signer, policy });
  });
}

/** Opens an artifact under a policy and reads all of it, as a load does; the bytes that were loaded. */
export async function loadTrusted(directory: string, policy: TrustPolicy): Promise<Uint8Array[]> {
  const { source } = await openTrusted(directory, openArtifact, policy);
  await using opened = source;
  const placements = opened.manifest.tensors.map((entry) => ({ entry, target: new Uint8Array(entry.sizeBytes) }));
  await opened.fill(placements, {});
  const small = opened.manifest.files.filter(({ sha256 }) => sha256 !== undefined);
  return [
    ...placements.map(({ target }) => target),
    ...(await Promise.all(small.map(({ path }) => opened.readFile(path)))),
  ];
}
