/**
 * Signatures in a file of their own, in Sigstore's bundle form, version 0.3, with a key. Source: sigstore/protobuf-specs,
 * sigstore_bundle.proto: one DSSE envelope with exactly one signature, and the hint by which a verifier finds the key.
 * Certificates and transparency logs are not used: the verifier has the key.
 */

import { createHash } from 'node:crypto';
import { AppError } from '../base/index.js';
import { toDer, verifySignature } from './ed25519.js';
import { PAYLOAD_TYPE, parseForeignJson, toBase64, toEnvelope, toSignedBytes, type Envelope } from './envelope.js';

const MEDIA_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
/** How programs of before 0.3.2 of the specification write it. */
const OLD_MEDIA_TYPE = 'application/vnd.dev.sigstore.bundle+json;version=0.3';

/** The bundle of one signature of an envelope, as text. */
export function renderBundle({ payload, signatures }: Envelope, key: string): string {
  const signature = signatures.find((each) => each.key === key);
  if (signature === undefined) {
    const message = `the model is not signed by ${key}, but by ${signatures.map((each) => each.key).join(', ')}`;
    throw new AppError('signature_untrusted', message, { key });
  }
  const bundle = {
    mediaType: MEDIA_TYPE,
    verificationMaterial: { publicKey: { hint: hintOf(key) }, tlogEntries: [] },
    dsseEnvelope: {
      payload: toBase64(payload),
      payloadType: PAYLOAD_TYPE,
      signatures: [{ sig: toBase64(signature.bytes), keyid: '' }],
    },
  };
  return `${JSON.stringify(bundle, null, 2)}\n`;
}

/**
 * The envelope in a bundle, or a DSSE envelope alone, of whatever program, with the signatures that one of `keys` made.
 * A bundle does not say whose a signature is, so that those of other keys cannot be told from broken ones and are left out.
 * Errors: `bundle_invalid`.
 */
export async function readBundle(bytes: Uint8Array, keys: readonly string[], path: string): Promise<Envelope> {
  const { json, refuse } = parseForeignJson(bytes, path);
  const { payload, signatures } = toEnvelope(envelopeOf(json, refuse), refuse);
  const message = toSignedBytes(payload);
  const found = new Map<string, Uint8Array>();
  for (const { bytes: signature } of signatures) {
    for (const key of keys) {
      if (await verifySignature(Buffer.from(key, 'hex'), message, signature)) found.set(key, signature);
    }
  }
  return { payload, signatures: Array.from(found, ([key, signature]) => ({ key, bytes: signature })) };
}

function envelopeOf(json: unknown, refuse: (why: string) => AppError): unknown {
  if (typeof json !== 'object' || json === null) throw refuse('is no bundle: it is not a JSON object');
  if ('payloadType' in json) return json;
  if (!('mediaType' in json)) throw refuse('is no Sigstore bundle and no DSSE envelope: it has no mediaType');
  if (json.mediaType !== MEDIA_TYPE && json.mediaType !== OLD_MEDIA_TYPE) {
    throw refuse(`is a bundle of another version than ${MEDIA_TYPE}`);
  }
  if ('dsseEnvelope' in json) return json.dsseEnvelope;
  throw refuse('is a bundle without a dsseEnvelope');
}

/** As cosign and sigstore-go have it: base64 of the SHA-256 of the key's DER. */
function hintOf(key: string): string {
  return createHash('sha256')
    .update(toDer(Buffer.from(key, 'hex')))
    .digest('base64');
}
