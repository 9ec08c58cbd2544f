import type { OnProgress } from '../../artifact/index.js';
import { AppError } from '../../base/index.js';
import { print, type Interrupts, type Terminal } from '../../cli/index.js';
import type { CheckedArtifact, VerifiedArtifact } from '../../signing/index.js';
import { openHashProgress } from './hash-progress.js';
import { readTrustDir, readTrustedKeys } from './trust-options.js';

/** What `verify` and `import` were given. */
export interface VerifyFlags {
  readonly key: readonly string[];
  readonly bundle: string | undefined;
  readonly allowRollback: boolean;
  readonly trustDir: string | undefined;
  readonly json: boolean;
}

/** How both are done: with the keys that were given, or those of the environment, which must be some. */
export async function toVerifyOptions(flags: VerifyFlags, env: Readonly<Record<string, string | undefined>>) {
  const options = await toOptions(flags, env);
  if (options.trustedKeys.length === 0) {
    const message =
      'there is no key to verify with: give --key HEX, the line in the .pub file of a signer that you trust, or set TROUPE_TRUSTED_KEYS.';
    throw new AppError('invalid_arguments', message);
  }
  return options;
}

/** The same where no key is needed to look whether files are whole: undefined without one, and without a bundle to hold against it. */
export async function toOptionalVerifyOptions(flags: VerifyFlags, env: Readonly<Record<string, string | undefined>>) {
  if (flags.bundle !== undefined) return toVerifyOptions(flags, env);
  const options = await toOptions(flags, env);
  return options.trustedKeys.length === 0 ? undefined : options;
}

async function toOptions(flags: VerifyFlags, env: Readonly<Record<string, string | undefined>>) {
  const trustedKeys = await readTrustedKeys('--key', flags.key, env);
  const { bundle, allowRollback } = flags;
  return { trustedKeys, allowRollback, trustDir: readTrustDir(flags.trustDir, env), bundle };
}

/** Runs `work` on an artifact with its progress on standard error, and prints what was verified. */
export async function printVerified(
  directory: string,
  json: boolean,
  terminal: Terminal,
  interrupts: Interrupts,
  work: (signal: AbortSignal, onProgress: OnProgress) => Promise<VerifiedArtifact | CheckedArtifact>,
): Promise<void> {
  const verified = await interrupts.during(async (signal) => {
    using progress = openHashProgress(terminal, 'verifying', directory);
    return await work(signal, progress.onProgress);
  });
  const text = json ? toJson(directory, verified) : toText(directory, verified);
  await print(terminal.stdout, text, terminal.closed);
}

function toJson(directory: string, verified: VerifiedArtifact | CheckedArtifact): string {
  if ('isSigned' in verified) {
    const { id, quant, numFiles, sizeBytes, isSigned } = verified;
    const checked = { directory, id, quant, state: 'unchecked', isSigned, keys: [], revision: null };
    return `${JSON.stringify({ ...checked, files: numFiles, sizeBytes })}\n`;
  }
  const { state, keys, id, quant, revision, numFiles, sizeBytes } = verified;
  return `${JSON.stringify({ directory, id, quant, state, keys, revision, files: numFiles, sizeBytes })}\n`;
}

function toText(directory: string, verified: VerifiedArtifact | CheckedArtifact): string {
  const { id, quant, numFiles, sizeBytes } = verified;
  const size = `${numFiles} files, ${(sizeBytes / 2 ** 20).toFixed(1)} MiB`;
  if ('isSigned' in verified) {
    const has = verified.isSigned ? 'it has one' : 'it has none';
    return [
      `${directory}: whole`,
      `  model     ${id} (${quant})`,
      `  content   ${size}: every byte is what its manifest says`,
      `  signature not checked: there is no key to check one with (--key HEX); ${has}`,
      '',
    ].join('\n');
  }
  const { keys, revision } = verified;
  return [
    `${directory}: verified`,
    `  model     ${id} (${quant}), revision ${revision}`,
    `  content   ${size}: every byte is as signed`,
    ...keys.map((key, i) => `  ${i === 0 ? 'signed by' : '         '} ${key}`),
    '',
  ].join('\n');
}
