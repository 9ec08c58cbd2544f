import { Type, type Static } from '../../schema/index.js';
import { annotate, secretReference, strict } from '../../yaml-file/index.js';
import { relayedApiNames } from '../../relay-serving/index.js';
import { MAX_PROVIDER_MODELS, MAX_SERVICE_PATHS } from './limits.js';

const credential = secretReference({
  description: "The credential that the provider gets instead of the client's key. Left out: none.",
  reader: 'the service',
  file: 'hosted.yaml',
});

/** A path of a provider. */
export const ProviderPath = Type.Object(
  {
    path: Type.String({
      minLength: 2,
      maxLength: 256,
      ...annotate('What clients write behind the path of the provider.', {
        expected: 'a path such as /v1/embeddings',
        check: 'path',
      }),
    }),
    upstream: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        ...annotate('What follows `base_url` at the provider. Left out: the same as `path`.', {
          expected: 'a path such as /v1/embeddings',
          check: 'path',
        }),
      }),
    ),
    dialect: Type.Optional(
      Type.Enum([...relayedApiNames, 'none'], {
        ...annotate(
          'The API that the path has. Left out: the one whose path `upstream` ends with, else `none`. `none`: what its answers ' +
            'tell in any known form counts. Paths that only count or make tokens, such as `/v1/messages/count_tokens` and ' +
            '`/tokenize`, cost nothing.',
        ),
      }),
    ),
  },
  { ...strict, ...annotate('A path that is relayed. Only POST is.', { title: 'a path' }) },
);

/** A paid upstream. */
export const Provider = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
      ...annotate('Its name in prices, keys, usage and errors. It stays when the path changes.', {
        expected: '1 to 64 of a to z, 0 to 9 and - . _',
      }),
    }),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        ...annotate('What its paths begin with. Left out: its id.', {
          expected: 'a path such as openai',
          check: 'providerPath',
        }),
      }),
    ),
    base_url: Type.String({
      minLength: 1,
      maxLength: 2048,
      ...annotate('Where it answers: the upstream path of a request follows it.', {
        expected: 'a URL such as https://api.example.com',
        check: 'baseUrl',
      }),
    }),
    credential: Type.Optional(credential),
    credential_header: Type.Enum(['authorization', 'x-api-key', 'api-key'], {
      default: 'authorization',
      ...annotate('The header that carries the credential: `authorization` as a Bearer token, others unchanged.'),
    }),
    models: Type.Union(
      [
        Type.Enum(['priced'], annotate('Every model that has a price.')),
        Type.Array(
          Type.String({
            pattern: '^[\\x21-\\x7e]{1,256}$',
            ...annotate('A name as the provider has it.', { expected: '1 to 256 printable characters without spaces' }),
          }),
          { maxItems: MAX_PROVIDER_MODELS, ...annotate('These models alone.', { title: 'names of models' }) },
        ),
      ],
      {
        default: 'priced',
        ...annotate('The models that clients may ask for. `priced`: every one that has a price.', {
          expected: 'priced, or a list of names of models',
        }),
      },
    ),
    unpriced: Type.Enum(['refuse', 'free'], {
      default: 'refuse',
      ...annotate('What becomes of a request for a model without a price: 404, or it is relayed and costs nothing.'),
    }),
    metering: Type.Enum(['inject', 'observe'], {
      default: 'inject',
      ...annotate(
        '`inject` asks for usage in each stream of chunks that did not, and takes the extra chunk out of the answer; a ' +
          'provider that refuses the question is not asked for an hour. `observe` changes no byte; where a stream tells no ' +
          'usage it is estimated, and marked so.',
      ),
    }),
    max_output_tokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000_000,
        ...annotate('The most completion tokens of one request: reserved where a request sets no limit.'),
      }),
    ),
    connections: Type.Integer({
      minimum: 1,
      maximum: 8192,
      default: 512,
      ...annotate(
        'Requests under way at this provider, of one node. Further ones wait; too many waiting ones are refused.',
      ),
    }),
    paths: Type.Array(ProviderPath, {
      default: [
        { path: '/v1/chat/completions', dialect: 'chat-completions' },
        { path: '/compatible-mode/v1/chat/completions', dialect: 'chat-completions' },
      ],
      minItems: 1,
      maxItems: MAX_SERVICE_PATHS,
      ...annotate('The paths that are relayed. Left out: both paths of chat completions.', { title: 'paths' }),
    }),
  },
  { ...strict, ...annotate('A provider.', { title: 'a provider' }) },
);
export type Provider = Static<typeof Provider>;
