import { AppError } from '../base/index.js';
import { Type } from '../schema/index.js';
import { CacheSalt } from './fields/cache-salt.js';
import { MAX_EMBED_INPUTS } from './limits.js';

const TokenIds = Type.Array(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), { minItems: 1 });
const Text = Type.String({ minLength: 1 });

/** Texts, or lists of token ids, to embed. */
export const EmbeddingsRequest = Type.Object({
  model: Type.Optional(Type.String()),
  input: Type.Union([
    Text,
    Type.Array(Text, { minItems: 1, maxItems: MAX_EMBED_INPUTS }),
    TokenIds,
    Type.Array(TokenIds, { minItems: 1, maxItems: MAX_EMBED_INPUTS }),
  ]),
  /** base64: the vector's little-endian f32 bytes. */
  encoding_format: Type.Optional(Type.Enum(['float', 'base64'])),
  /** Only the model's own number. */
  dimensions: Type.Optional(Type.Integer({ minimum: 1 })),
  cache_salt: Type.Optional(CacheSalt),
});
export type EmbeddingsRequest = Type.Static<typeof EmbeddingsRequest>;

/** The vectors, in the order of the inputs, each of length 1. */
export const EmbeddingList = Type.Object({
  object: Type.Enum(['list']),
  data: Type.Array(
    Type.Object({
      object: Type.Enum(['embedding']),
      index: Type.Integer(),
      embedding: Type.Union([Type.Array(Type.Number()), Type.String()]),
    }),
  ),
  model: Type.String(),
  usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
});
export type EmbeddingList = Type.Static<typeof EmbeddingList>;

/** Refuses a number of dimensions other than the model's. Errors: `unsupported_value`. */
export function checkDimensions({ dimensions }: Pick<EmbeddingsRequest, 'dimensions'>, hiddenSize: number): void {
  if (dimensions === undefined || dimensions === hiddenSize) return;
  const message = `dimensions is ${dimensions}; this model's vectors have ${hiddenSize}`;
  throw new AppError('unsupported_value', message, { param: 'dimensions' });
}
