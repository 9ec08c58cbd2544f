import { access, constants } from 'node:fs/promises';
import type { Terminal } from '../cli/index.js';
import type { SecretSource } from '../yaml-file/index.js';

/** What is wrong with a reference to a secret, as it is now; nothing where there is no reference. The secret is not read. */
export async function whyMissing(
  what: string,
  source: SecretSource | undefined,
  env: Terminal['env'],
): Promise<readonly string[]> {
  if (source === undefined) return [];
  if (source.from === 'env')
    return env[source.name] ? [] : [`${what}: the environment variable ${source.name} is not set here`];
  const isReadable = await access(source.path, constants.R_OK).then(
    () => true,
    () => false,
  );
  return isReadable ? [] : [`${what}: the file ${source.path} cannot be read`];
}
