import { AppError } from '../../base/index.js';
import type { SecretSource } from '../../yaml-file/index.js';
import { toServiceKeys } from './service-keys.js';

/** Reads a secret. Errors: `hosted_secret_missing`, those of files. */
export type ReadSecret = (source: SecretSource, what: string) => Promise<string>;

/** Bytes that the secret of a service has at the least. */
const MIN_BYTES = 32;

/** The secret of a service. Errors: those of `read`, `hosted_secret_missing` for one that is too short. */
export async function readServiceSecret(source: SecretSource, read: ReadSecret): Promise<Uint8Array> {
  const secret = Buffer.from(await read(source, 'the secret of the service'));
  if (secret.length >= MIN_BYTES) return secret;
  const message = `the secret of the service has ${secret.length} bytes; it must have at least ${MIN_BYTES}, such as openssl rand -hex 32 makes`;
  throw new AppError('hosted_secret_missing', message, { bytes: secret.length });
}

/** The id that every node of a service reports. Errors: those of `readServiceSecret`. */
export async function readServiceId(source: SecretSource, read: ReadSecret): Promise<string> {
  return toServiceKeys(await readServiceSecret(source, read)).serviceId;
}
