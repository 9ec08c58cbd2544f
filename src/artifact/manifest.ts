import { Type, type Static } from '../schema/index.js';
import { quantNames } from '../weights/index.js';

/** File name of the manifest; it lists every other file of the directory. */
export const MANIFEST_NAME = 'manifest.json';
/** Signatures over all other files, in the format of the module `signing`; may be absent, and the manifest does not list it. */
export const SIGNATURE_NAME = 'signature.json';
/** The packed tensors. */
export const WEIGHTS_NAME = 'weights.bin';
/** Version of the directory's format; raised when older readers could not read it. */
export const FORMAT_VERSION = 1;
/** Version of the packed tensors; raised when a weight table has other names, or kernels expect another order of bytes. */
export const PACKING_VERSION = 1;
/** How the tensors of an artifact are packed whose manifest names no layout: in groups of eight rows, for the CPU. */
export const DEFAULT_LAYOUT = 'cpu-panels-1';
/** Tensors start at multiples of this: a page, so that they can be mapped or read with O_DIRECT. */
export const TENSOR_ALIGNMENT = 4096;
/** Weights are hashed in pieces of this size, so that several threads can hash at once. */
export const CHUNK_BYTES = 16 * 1024 * 1024;
/** Limit of a manifest's bytes: that of an 8B model has some 100 KB, tables of experts some MB. */
export const MAX_MANIFEST_BYTES = 32 * 1024 * 1024;
/** Limit of a signature file's bytes: the hashes of 16 MiB chunks of 1 TB of weights take 6 MB. */
export const MAX_SIGNATURE_BYTES = 16 * 1024 * 1024;
/** Limit of a manifest's nesting; its config.json may nest a few levels itself. */
export const MAX_MANIFEST_DEPTH = 32;
/** Limit of an artifact's tensors: 128 experts in 100 layers are under 50,000. */
export const MAX_ARTIFACT_TENSORS = 200_000;

const MAX_DIMENSION = 2 ** 31 - 1;
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const dimension = Type.Integer({ minimum: 1, maximum: MAX_DIMENSION });
const tokenId = Type.Integer({ minimum: 0, maximum: MAX_DIMENSION });
const strict = { additionalProperties: false };
const quant = Type.Enum([...quantNames]);
// Lower-case ASCII in one folder: nothing to traverse, fold or normalise.
const fileName = Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,127}$' });

/** One tensor in weights.bin. rows and columns are unpadded; a vector is f32, has `rows` elements and one column. */
export const TensorEntry = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 256 }),
    kind: Type.Enum(['matrix', 'vector']),
    quant,
    rows: dimension,
    columns: dimension,
    offset: bytes,
    sizeBytes: bytes,
  },
  strict,
);
export type TensorEntry = Static<typeof TensorEntry>;

/** One file of the directory. The weights have no hash here: `weights` has one for each chunk. */
export const FileEntry = Type.Object({ path: fileName, sizeBytes: bytes, sha256: Type.Optional(sha256) }, strict);
export type FileEntry = Static<typeof FileEntry>;

/** Recommendations of the model's makers: the stop ids, and sampling defaults for requests without values. */
export const GenerationDefaults = Type.Object(
  {
    stopTokenIds: Type.Array(tokenId, { maxItems: 1024 }),
    temperature: Type.Optional(Type.Number({ minimum: 0 })),
    topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    topK: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_DIMENSION })),
    minP: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    repetitionPenalty: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  },
  strict,
);
export type GenerationDefaults = Static<typeof GenerationDefaults>;

const text = Type.Union([Type.String(), Type.Null()]);

/** The prompt template and the two tokens that templates name. */
export const Chat = Type.Object({ template: text, bosToken: text, eosToken: text }, strict);
export type Chat = Static<typeof Chat>;

/** The table of contents of an artifact: manifest.json. */
export const Manifest = Type.Object(
  {
    format: Type.Literal('troupe-artifact'),
    formatVersion: Type.Literal(FORMAT_VERSION),
    packingVersion: Type.Literal(PACKING_VERSION),
    id: Type.String({ minLength: 1, maxLength: 512 }),
    createdBy: Type.String({ maxLength: 200 }),
    source: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
    modelType: Type.String({ minLength: 1, maxLength: 200 }),
    quant,
    /** How a device stores the tensors. Absent: `DEFAULT_LAYOUT`. */
    layout: Type.Optional(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$' })),
    config: Type.Record(Type.String(), Type.Unknown()),
    generation: GenerationDefaults,
    chat: Chat,
    tensors: Type.Array(TensorEntry, { maxItems: MAX_ARTIFACT_TENSORS }),
    files: Type.Array(FileEntry, { maxItems: 64 }),
    weights: Type.Object(
      {
        path: Type.Literal(WEIGHTS_NAME),
        chunkBytes: Type.Literal(CHUNK_BYTES),
        chunkSha256: Type.Array(sha256),
      },
      strict,
    ),
  },
  strict,
);
export type Manifest = Static<typeof Manifest>;
