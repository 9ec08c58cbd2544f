import { resolve } from 'node:path';
import { Type, type Static } from '../../schema/index.js';
import { annotate, strict } from './annotate.js';

/** Words for a secret in messages. */
export interface SecretWords {
  /** Its purpose. */
  readonly description: string;
  /** Its reader, as in `the gateway`. */
  readonly reader: string;
  /** The file that it is written in. */
  readonly file: string;
}

/** A secret as a reference: it is read when it is used, and the file never holds it. */
export function secretReference({ description, reader, file }: SecretWords) {
  return Type.Union(
    [
      Type.Object(
        {
          env: Type.String({
            pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$',
            ...annotate(`The name of an environment variable of ${reader}.`, {
              expected: 'the name of an environment variable',
              isSecret: true,
            }),
          }),
        },
        { ...strict, ...annotate('A secret from the environment.', { title: 'a secret from the environment' }) },
      ),
      Type.Object(
        {
          file: Type.String({
            minLength: 1,
            maxLength: 4096,
            ...annotate(`A file with the secret and nothing else, relative to ${file}.`, {
              expected: 'a path',
              isSecret: true,
            }),
          }),
        },
        { ...strict, ...annotate('A secret from a file.', { title: 'a secret from a file' }) },
      ),
    ],
    annotate(description, {
      title: 'a secret by reference',
      expected: '{ env: NAME } or { file: PATH }, since this file holds no secrets',
      isSecret: true,
    }),
  );
}

/** The fields of a secret reference. */
export type SecretReference = Static<ReturnType<typeof secretReference>>;

/** Where a secret is. It has not been read yet. */
export type SecretSource =
  | { readonly from: 'env'; readonly name: string }
  /** `path`: absolute. */
  | { readonly from: 'file'; readonly path: string };

/** Where the secret of a file in `directory` is. */
export function toSecretSource(reference: SecretReference, directory: string): SecretSource {
  if ('env' in reference) return { from: 'env', name: reference.env };
  return { from: 'file', path: resolve(directory, reference.file) };
}
