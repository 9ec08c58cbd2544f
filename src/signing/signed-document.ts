import type { ArtifactHead } from '../artifact/index.js';
import { parseStrictJson } from '../base/index.js';
import { Compile, Type, type Static } from '../schema/index.js';
import { toCanonicalJson } from './canonical-json.js';

/** Of the signed document: raised when a reader of before could not read it. */
const DOCUMENT_VERSION = 1;

const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const path = Type.String({ minLength: 1, maxLength: 128 });
const strict = { additionalProperties: false };

/** A file by its SHA-256, or, so that loading can verify it in one pass, by that of each of its chunks. */
const SignedFile = Type.Union([
  Type.Object({ path, sizeBytes: bytes, sha256 }, strict),
  Type.Object({ path, sizeBytes: bytes, chunkBytes: bytes, chunkSha256: Type.Array(sha256) }, strict),
]);
type SignedFile = Static<typeof SignedFile>;

/** What is signed: the artifact's id and quant, its revision, and all of its files in the order of their names' bytes. */
export const SignedDocument = Type.Object(
  {
    format: Type.Literal('troupe-signed-artifact'),
    formatVersion: Type.Literal(DOCUMENT_VERSION),
    id: Type.String({ minLength: 1, maxLength: 512 }),
    quant: Type.String({ minLength: 1, maxLength: 32 }),
    /** Raised whenever the content is signed anew after a change. */
    revision: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    files: Type.Array(SignedFile, { maxItems: 65 }),
  },
  strict,
);
export type SignedDocument = Static<typeof SignedDocument>;

const validator = Compile(SignedDocument);

/** The document of an artifact as it was opened: of the files that were read, not of those that lie there now. */
export function documentOf({ manifest, signable }: ArtifactHead, revision: number): SignedDocument {
  const { chunkBytes, chunkSha256 } = manifest.weights;
  const listed = manifest.files.map(({ path: name, sizeBytes, sha256: hash }): SignedFile =>
    hash === undefined ? { path: name, sizeBytes, chunkBytes, chunkSha256 } : { path: name, sizeBytes, sha256: hash },
  );
  // Lower-case ASCII names: their units are their bytes.
  const files = [...listed, signable.manifestFile].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const { id, quant } = manifest;
  return { format: 'troupe-signed-artifact', formatVersion: DOCUMENT_VERSION, id, quant, revision, files };
}

/** The bytes of a document's one spelling. */
export function renderDocument(document: SignedDocument): Uint8Array {
  return Buffer.from(toCanonicalJson(document));
}

/** A document from a payload: only what `renderDocument` writes is taken. `refuse` makes the error of a clause. */
export function parseDocument(payload: Uint8Array, refuse: (why: string) => Error): SignedDocument {
  const json = parseStrictJson(payload, { maxDepth: 8 }, (why) => refuse(`has a payload that ${why}`));
  if (!validator.Check(json)) throw refuse('has a payload that is no document of an artifact');
  if (!Buffer.from(renderDocument(json)).equals(payload)) {
    throw refuse('has a payload that is not written in its canonical form');
  }
  return json;
}

/** How the files and names of an artifact differ from those that were signed, in one clause; undefined where they do not. */
export function whyNotSigned(signed: SignedDocument, found: SignedDocument): string | undefined {
  if (signed.id !== found.id || signed.quant !== found.quant) {
    return `the signature is of another model, ${JSON.stringify(signed.id)} in ${signed.quant}`;
  }
  const [before, now] = [byPath(signed), byPath(found)];
  for (const name of before.keys()) if (!now.has(name)) return `${name}, which was signed, is missing`;
  for (const [name, text] of now) {
    const was = before.get(name);
    if (was === undefined) return `${name} was added after it was signed`;
    if (was !== text) return `${name} is not the file that was signed`;
  }
  // Whatever else there may be: a second entry of one name, another order.
  const isSame = Buffer.from(renderDocument(signed)).equals(renderDocument(found));
  return isSame ? undefined : 'what was signed is not the document of its files';
}

function byPath({ files }: SignedDocument): Map<string, string> {
  return new Map(files.map((file) => [file.path, toCanonicalJson(file)]));
}
