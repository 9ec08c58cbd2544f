// Options that say whose models may be loaded, for the commands of every product.
import { listOption, switchOption, textOption } from '../../cli/index.js';
import { AppError } from '../../base/index.js';

/** `--require-signed` */
export const requireSignedFlag = () =>
  switchOption('--require-signed', {
    description: 'load only models that a trusted key signed',
    group: 'Signatures',
  });

/** `--trusted-key` */
export const trustedKeyFlag = () =>
  listOption('--trusted-key', {
    value: 'HEX',
    description: 'public key that is trusted to sign models, 64 hexadecimal digits',
    default: 'TROUPE_TRUSTED_KEYS, keys between commas',
    group: 'Signatures',
  });

/** `--allow-rollback` */
export const allowRollbackFlag = () =>
  switchOption('--allow-rollback', {
    description: 'load a signed model although a higher revision of it was seen here',
    group: 'Signatures',
  });

/** `--trust-dir` */
export const trustDirFlag = () =>
  textOption('--trust-dir', {
    value: 'DIR',
    description: 'directory that remembers the newest revision of each signed model',
    default: 'TROUPE_TRUST, else ~/.troupe/trust',
    group: 'Signatures',
  });

/** The options of a command that say whose models may be loaded. */
export interface TrustFlags {
  readonly requireSigned: boolean;
  readonly trustedKey: readonly string[];
  readonly allowRollback: boolean;
  readonly trustDir: string | undefined;
}

/** The same as createEngine takes them. */
export interface TrustOptions {
  readonly requireSigned: boolean;
  readonly trustedKeys: readonly string[];
  readonly allowRollback: boolean;
  readonly trustDir?: string;
}

/**
 * The options that a command was given, checked here so that a mistake costs no import. Keys of the environment count where
 * the command line has none. Errors: `invalid_option`, also for keys that nothing would be held against.
 */
export async function toTrustOptions(
  { requireSigned, trustedKey, allowRollback, trustDir }: TrustFlags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<TrustOptions> {
  if (trustedKey.length > 0 && !requireSigned) {
    const message =
      '--trusted-key alone refuses nothing: add --require-signed, so that only models signed by a trusted key are loaded.';
    throw new AppError('invalid_option', message, { option: '--trusted-key' });
  }
  const trustedKeys = await readTrustedKeys('--trusted-key', trustedKey, env);
  if (requireSigned && trustedKeys.length === 0) {
    const message = '--require-signed needs a key that is trusted: give --trusted-key HEX, or set TROUPE_TRUSTED_KEYS.';
    throw new AppError('invalid_option', message, { option: '--require-signed' });
  }
  const place = readTrustDir(trustDir, env);
  return { requireSigned, trustedKeys, allowRollback, ...(place !== undefined && { trustDir: place }) };
}

/** Keys of the option `option`, or else of TROUPE_TRUSTED_KEYS. Errors: `invalid_option`. */
export async function readTrustedKeys(
  option: string,
  given: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const ofEnv = env['TROUPE_TRUSTED_KEYS'] ?? '';
  // Few have any: then nothing is loaded for them.
  if (given.length === 0 && ofEnv.trim() === '') return [];
  const { parseTrustedKeys, splitKeys } = await import('../../signing/index.js');
  if (given.length > 0)
    return parseTrustedKeys(
      given.flatMap((text) => text.split(',')),
      option,
    );
  return parseTrustedKeys(splitKeys(ofEnv), 'TROUPE_TRUSTED_KEYS');
}

/** What the option says, or else TROUPE_TRUST; undefined: the default. Errors: `invalid_option`. */
export function readTrustDir(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (given === '') throw new AppError('invalid_option', '--trust-dir is empty, but must be a path.', { value: given });
  return given ?? (env['TROUPE_TRUST'] || undefined);
}
