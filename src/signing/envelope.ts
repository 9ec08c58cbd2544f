/** DSSE envelopes: what is signed, and the signatures. Source: the DSSE protocol and envelope, version 1.0. */

import { AppError, parseStrictJson } from '../base/index.js';
import { MAX_SIGNATURE_BYTES } from '../artifact/index.js';
import { Compile, Type, type Static } from '../schema/index.js';
import { toCanonicalJson } from './canonical-json.js';
import { SIGNATURE_BYTES } from './ed25519.js';

/** What the payload of our envelopes is: a signature on it is good for nothing else. */
export const PAYLOAD_TYPE = 'application/vnd.troupe.artifact+json';
/** Signatures in one envelope: each takes some milliseconds to verify. */
export const MAX_SIGNATURES = 16;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** One signature: by which public key, as hexadecimal digits ('' where a foreign envelope does not say it), and its bytes. */
export interface Signature {
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** A payload of our type and who signed it. Nothing in it is believed before `verifySignature`. */
export interface Envelope {
  readonly payload: Uint8Array;
  readonly signatures: readonly Signature[];
}

/** An envelope in JSON; others add members, which do not count. */
export const EnvelopeJson = Type.Object({
  payload: Type.String(),
  payloadType: Type.String(),
  signatures: Type.Array(Type.Object({ keyid: Type.Optional(Type.String()), sig: Type.String() }), {
    minItems: 1,
    maxItems: MAX_SIGNATURES,
  }),
});
const validator = Compile(EnvelopeJson);

/** The bytes that are signed: type and payload with their lengths, so that neither can pass for a part of the other. */
export function toSignedBytes(payload: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
}

/** signature.json: the envelope in its one spelling, signatures sorted by key. */
export function renderEnvelope({ payload, signatures }: Envelope): Uint8Array {
  const sorted = signatures.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const json = {
    payload: toBase64(payload),
    payloadType: PAYLOAD_TYPE,
    signatures: sorted.map(({ key, bytes }) => ({ keyid: key, sig: toBase64(bytes) })),
  };
  return Buffer.from(`${toCanonicalJson(json)}\n`);
}

/**
 * signature.json from untrusted bytes. Only what `renderEnvelope` writes is taken, so that no byte can be changed.
 * `refuse` makes the error of a clause such as "is not JSON".
 */
export function parseEnvelope(bytes: Uint8Array, refuse: (why: string) => Error): Envelope {
  const envelope = toEnvelope(parseStrictJson(bytes, { maxDepth: 4 }, refuse), refuse);
  const keys = envelope.signatures.map(({ key }) => key);
  if (!keys.every((key) => /^[0-9a-f]{64}$/.test(key))) throw refuse('has a keyid that is no public key');
  if (new Set(keys).size < keys.length) throw refuse('has two signatures of one key');
  if (!Buffer.from(renderEnvelope(envelope)).equals(bytes)) throw refuse('is not written in its canonical form');
  return envelope;
}

/** A parsed envelope of whatever program. A keyid that is no public key of ours is only a hint, and left out. */
export function toEnvelope(json: unknown, refuse: (why: string) => Error): Envelope {
  if (!validator.Check(json)) {
    throw refuse(`is no DSSE envelope with 1 to ${MAX_SIGNATURES} signatures (payload, payloadType, signatures)`);
  }
  const { payloadType, payload, signatures } = json satisfies Static<typeof EnvelopeJson>;
  if (payloadType !== PAYLOAD_TYPE) throw refuse(`has another payloadType than ${PAYLOAD_TYPE}`);
  return {
    payload: fromBase64(payload, 'its payload', refuse),
    signatures: signatures.map(({ keyid = '', sig }) => {
      const bytes = fromBase64(sig, 'a signature', refuse);
      if (bytes.length !== SIGNATURE_BYTES)
        throw refuse(`has a signature of ${bytes.length} bytes, not ${SIGNATURE_BYTES}`);
      return { key: /^[0-9a-f]{64}$/.test(keyid) ? keyid : '', bytes };
    }),
  };
}

/** A foreign file with an envelope or a bundle in it, as JSON. Errors: `bundle_invalid`. */
export function parseForeignJson(
  bytes: Uint8Array,
  path: string,
): { json: unknown; refuse: (why: string) => AppError } {
  const refuse = (why: string): AppError => new AppError('bundle_invalid', `${path} ${why}`, { path });
  if (bytes.length > MAX_SIGNATURE_BYTES) {
    throw refuse(`has ${bytes.length} bytes; the limit of a bundle is ${MAX_SIGNATURE_BYTES}`);
  }
  return { json: parseStrictJson(bytes, { maxDepth: 32 }, refuse), refuse };
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** Standard base64 with padding and no unused bits: of each bytes one text. */
function fromBase64(text: string, what: string, refuse: (why: string) => Error): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  if (!BASE64.test(text) || bytes.toString('base64') !== text) throw refuse(`has no canonical base64 in ${what}`);
  return bytes;
}
