import { Type, type Static } from '../../../schema/index.js';
import { runtimeKindNames } from '../runtime-kinds.js';
import { notes, runtimeId, strict } from './texts.js';

/** A secret as a reference: it is read when it is used, and never stands in the file. */
export const SecretReference = Type.Union(
  [
    Type.Object(
      {
        env: Type.String({
          pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$',
          ...notes('The name of an environment variable of the gateway.', {
            expected: 'the name of an environment variable',
            isSecret: true,
          }),
        }),
      },
      { ...strict, ...notes('A secret from the environment.', { title: 'a secret from the environment' }) },
    ),
    Type.Object(
      {
        file: Type.String({
          minLength: 1,
          maxLength: 4096,
          ...notes('A file with the secret and nothing else, relative to gateway.yaml.', {
            expected: 'a path',
            isSecret: true,
          }),
        }),
      },
      { ...strict, ...notes('A secret from a file.', { title: 'a secret from a file' }) },
    ),
  ],
  notes('What the gateway sends this runtime as its Bearer token.', {
    title: 'a secret by reference',
    expected: '{ env: NAME } or { file: PATH }, since no secret stands in this file',
    isSecret: true,
  }),
);
export type SecretReference = Static<typeof SecretReference>;

/** A model server. */
export const Runtime = Type.Object(
  {
    id: runtimeId('The name of this runtime within the file.'),
    kind: Type.Enum(
      [...runtimeKindNames],
      notes('What server it is: decides how it is probed, metered and asked for its cache.'),
    ),
    base_url: Type.String({
      minLength: 1,
      maxLength: 2048,
      ...notes('Where it answers, without `/v1`.', {
        expected: 'an address such as http://127.0.0.1:8000',
        check: 'baseUrl',
      }),
    }),
    api_key: Type.Optional(SecretReference),
    fingerprint: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]{1,256}$',
        ...notes('What it proved to be when it was approved. A runtime that answers with another is refused.', {
          expected: 'a fingerprint as discovery writes it',
        }),
      }),
    ),
    metering: Type.Enum(['inject', 'observe'], {
      default: 'inject',
      ...notes('`inject` asks the runtime for usage in each stream. `observe` counts the chunks, marked as estimated.'),
    }),
  },
  { ...strict, ...notes('A model server.', { title: 'a runtime' }) },
);
export type Runtime = Static<typeof Runtime>;
