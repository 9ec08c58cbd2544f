import { Type } from '../../../schema/index.js';

const strict = { additionalProperties: false };
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T, description: string) =>
  Type.Union([type, Type.Null()], { description });
const name = Type.String({ description: 'the directory or file in the models directory, or demo' });
const sizeBytes = Type.Integer({ minimum: 0, description: 'bytes of its files' });

/** A model in a list. */
const Listed = Type.Object(
  {
    name,
    repo: nullable(Type.String(), 'org/name of the hub that it is from; null for a model of this machine'),
    revision: nullable(Type.String(), 'the commit of the repository'),
    quant: nullable(Type.String(), 'as the hub or the file names it, else as the weights are stored; null: unreadable'),
    sizeBytes,
    contextLength: nullable(Type.Integer({ minimum: 1 }), 'tokens, as the model declares it'),
    modified: nullable(Type.String(), 'RFC 3339, UTC'),
    signed: nullable(Type.Boolean(), 'whether it has a signature that holds; null for a file, which can have none'),
  },
  strict,
);

/** `list --json`. */
export const list = Type.Array(Listed);
export type ListOutput = Type.Static<typeof list>;

/** `show --json`. */
export const show = Type.Object(
  {
    ...Listed.properties,
    path: Type.String({ description: 'where its files are' }),
    format: Type.Enum(['troupe', 'gguf']),
    architecture: Type.String(),
    parameters: Type.Integer({ minimum: 0, description: 'numbers in its tensors' }),
    embeddingLength: nullable(Type.Integer(), 'length of its embeddings'),
    license: nullable(Type.String(), 'as the repository or the file states it'),
    template: nullable(Type.String(), 'its chat template, in Jinja; null: it can only continue text'),
    bosToken: nullable(Type.String(), 'the token before a text'),
    eosToken: nullable(Type.String(), 'the token at the end of one'),
    generation: Type.Record(Type.String(), Type.Number(), { description: 'what its authors recommend for sampling' }),
    requantised: nullable(Type.String(), 'types of the file that are stored as others, in one line'),
    signature: Type.Union(
      [
        Type.Null(),
        Type.Object(
          {
            state: Type.Enum(['signed', 'tampered']),
            keys: Type.Array(Type.String(), {
              description: 'public keys that signed it, in hex; verify says which are trusted',
            }),
            revision: Type.Union([Type.Integer(), Type.Null()], { description: 'of the signed content' }),
            why: Type.Union([Type.String(), Type.Null()], { description: 'why it is tampered' }),
          },
          strict,
        ),
      ],
      { description: 'null: unsigned' },
    ),
    tensors: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          type: Type.String({ description: 'in words of GGML' }),
          shape: Type.Array(Type.Integer()),
        },
        strict,
      ),
    ),
    info: Type.Record(Type.String(), Type.Unknown(), { description: 'by keys of GGUF; long lists are null' }),
  },
  strict,
);
export type ShowOutput = Type.Static<typeof show>;

/** `rm --json`. */
export const rm = Type.Array(Type.Object({ name, freedBytes: Type.Integer({ minimum: 0 }) }, strict));
export type RmOutput = Type.Static<typeof rm>;

/** `cp --json`. */
export const cp = Type.Object({ from: name, name, path: Type.String() }, strict);

/** `import --json`. */
export const imported = Type.Object(
  { name, path: Type.String(), quant: Type.String(), sizeBytes, notices: Type.Array(Type.String()) },
  strict,
);
export type ImportOutput = Type.Static<typeof imported>;

/** `df --json`. */
export const df = Type.Object(
  {
    places: Type.Array(
      Type.Object(
        {
          what: Type.Enum(['models', 'half-made models', 'converted files', 'shapes of bench', 'other caches']),
          path: Type.String(),
          count: Type.Integer({ minimum: 0 }),
          sizeBytes: Type.Integer({ minimum: 0, description: 'a file with two names is counted once' }),
          canBeRemoved: Type.Boolean({ description: 'whether it can be made again' }),
        },
        strict,
      ),
    ),
    disks: Type.Array(
      Type.Object({ path: Type.String(), freeBytes: Type.Integer(), totalBytes: Type.Integer() }, strict),
    ),
  },
  strict,
);
export type DfOutput = Type.Static<typeof df>;

/** `tokenize --json`. */
export const tokenize = Type.Object(
  {
    count: Type.Integer({ minimum: 0 }),
    tokens: Type.Array(Type.Object({ id: Type.Integer({ minimum: 0 }), text: Type.String() }, strict)),
    text: Type.String({ description: 'what the ids decode to' }),
  },
  strict,
);
export type TokenizeOutput = Type.Static<typeof tokenize>;

/** `verify --json`. */
export const verify = Type.Object(
  {
    directory: Type.String(),
    id: Type.String({ description: 'of the model' }),
    quant: Type.String(),
    state: Type.Enum(['trusted', 'unknown', 'unchecked'], { description: 'unchecked: no key was given' }),
    isSigned: Type.Optional(Type.Boolean({ description: 'without a key: whether there is a signature' })),
    keys: Type.Array(Type.String(), { description: 'public keys that signed it, in hex' }),
    revision: Type.Union([Type.Integer(), Type.Null()], { description: 'of the signed content' }),
    files: Type.Integer({ minimum: 0 }),
    sizeBytes,
  },
  strict,
);
