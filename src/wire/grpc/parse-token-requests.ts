// Requests over gRPC that are of token ids, or become vectors.
import { CacheSalt, createRequestParser, MAX_EMBED_INPUTS, MAX_TOP_LOGPROBS } from '../../api/index.js';
import { AppError } from '../../base/index.js';
import type { SamplingChoice } from '../../completion/index.js';
import { Type } from '../../schema/index.js';
import { invalidField } from '../parsing/request-errors.js';
import { spellSeed } from '../parsing/seed.js';
import { toSamplingChoice } from '../sampling-choice.js';
import { GrpcSampling } from './grpc-request.js';
import { checkGrpcSampling } from './parse-grpc-request.js';

const TokenId = Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 });

const GenerateBody = Type.Object({
  prompt_token_ids: Type.Array(TokenId, { minItems: 1 }),
  max_tokens: Type.Integer({ minimum: 1, maximum: 2 ** 32 - 1 }),
  sampling: Type.Optional(GrpcSampling),
  logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_TOP_LOGPROBS })),
  cache_salt: Type.Optional(CacheSalt),
});

const EmbedBody = Type.Object({
  inputs: Type.Array(
    Type.Object({
      text: Type.Optional(Type.String({ minLength: 1 })),
      token_ids: Type.Optional(Type.Object({ ids: Type.Array(TokenId, { minItems: 1 }) })),
    }),
    { minItems: 1, maxItems: MAX_EMBED_INPUTS },
  ),
  dimensions: Type.Optional(Type.Integer({ minimum: 1 })),
  cache_salt: Type.Optional(CacheSalt),
});

/** A parsed request for the continuation of token ids. */
export interface GrpcGenerateRequest {
  readonly promptTokenIds: readonly number[];
  readonly maxTokens: number;
  readonly sampling: SamplingChoice;
  readonly logprobs: number | undefined;
  readonly cacheSalt: string | undefined;
}

/** A parsed request for vectors. */
export interface GrpcEmbedRequest {
  readonly inputs: readonly (string | readonly number[])[];
  readonly dimensions: number | undefined;
  readonly cacheSalt: string | undefined;
}

const parseGenerate = createRequestParser(GenerateBody);
const parseEmbed = createRequestParser(EmbedBody);

/** `GenerateRequest` of inference.proto, in its JSON form. Errors: those of its fields, `unsupported_parameter`. */
export function parseGrpcGenerateRequest(value: { readonly sampling?: unknown }): GrpcGenerateRequest {
  const { sampling } = value;
  const isGiven = typeof sampling === 'object' && sampling !== null;
  const body = parseGenerate(isGiven ? { ...value, sampling: spellSeed({ ...sampling }) } : value);
  checkGrpcSampling(body.sampling);
  if ((body.sampling?.dry_sequence_breakers ?? []).length > 0) {
    const param = 'sampling.dry_sequence_breakers';
    const message = `${param} are texts, which a request of token ids has none of; leave them out, or ask with Chat`;
    throw new AppError('unsupported_parameter', message, { param });
  }
  return {
    promptTokenIds: body.prompt_token_ids,
    maxTokens: body.max_tokens,
    sampling: toSamplingChoice(body.sampling ?? {}),
    logprobs: body.logprobs,
    cacheSalt: body.cache_salt,
  };
}

/** `EmbedRequest` of inference.proto, in its JSON form. Errors: those of its fields. */
export function parseGrpcEmbedRequest(value: object): GrpcEmbedRequest {
  const { inputs, dimensions, cache_salt: cacheSalt } = parseEmbed(value);
  const read = inputs.map(({ text, token_ids: tokens }, index) => {
    if (text !== undefined) return text;
    if (tokens !== undefined) return tokens.ids;
    throw invalidField(`inputs[${index}]`, 'must have a text or token ids', undefined);
  });
  return { inputs: read, dimensions, cacheSalt };
}
