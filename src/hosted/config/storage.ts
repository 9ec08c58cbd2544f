import { Type } from '../../schema/index.js';
import { annotate, secretReference, strict } from '../../yaml-file/index.js';

const words = { reader: 'the service', file: 'hosted.yaml' };

/** Where accounts, keys, prices and the ledger are. */
export const Storage = Type.Union(
  [
    Type.Enum(['sqlite'], annotate('A file in data_dir, which one process owns.')),
    Type.Object(
      {
        postgres: Type.Object(
          {
            url: secretReference({ description: 'Its URL, with the password.', ...words }),
            pool: Type.Integer({ minimum: 1, maximum: 200, default: 10, ...annotate('Connections of one node.') }),
          },
          { ...strict, ...annotate('A PostgreSQL from 14 on, which several nodes may share.', { title: 'postgres' }) },
        ),
      },
      { ...strict, ...annotate('Another database.', { title: 'a database' }) },
    ),
  ],
  {
    default: 'sqlite',
    ...annotate('Where accounts, keys, prices and the ledger are: `sqlite`, or `{ postgres: { url, pool } }`.', {
      expected: 'sqlite, or { postgres: { url: … } }',
    }),
  },
);

/** Where nodes share limits a minute. */
export const Valkey = Type.Object(
  { url: secretReference({ description: 'Its URL, with the password.', ...words }) },
  {
    ...strict,
    ...annotate(
      'A Valkey or Redis in which nodes share limits a minute. Without it each node holds its part of them.',
      {
        title: 'valkey',
      },
    ),
  },
);

/** The secret that signs keys and seals credentials. */
export const serviceSecret = secretReference({
  description:
    'At least 32 bytes, the same on every node: keys of accounts are kept under it, and credentials of gateways are sealed ' +
    'with it. If it is lost, all keys must be made anew.',
  ...words,
});
