import type { OnProgress } from '../../artifact/index.js';
import { AppError } from '../../base/index.js';
import { print, type Interrupts, type Terminal } from '../../cli/index.js';
import type { VerifiedArtifact } from '../../signing/index.js';
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
  const trustedKeys = await readTrustedKeys('--key', flags.key, env);
  if (trustedKeys.length === 0) {
    const message =
      'there is no key to verify with: give --key HEX, the line in the .pub file of whom you trust, or set TROUPE_TRUSTED_KEYS.';
    throw new AppError('invalid_arguments', message);
  }
  const { bundle, allowRollback } = flags;
  return { trustedKeys, allowRollback, trustDir: readTrustDir(flags.trustDir, env), bundle };
}

/** Runs `work` on an artifact with its progress on standard error, and prints what was verified. */
export async function printVerified(
  directory: string,
  json: boolean,
  terminal: Terminal,
  interrupts: Interrupts,
  work: (signal: AbortSignal, onProgress: OnProgress) => Promise<VerifiedArtifact>,
): Promise<void> {
  const verified = await interrupts.during(async (signal) => {
    using progress = openHashProgress(terminal, 'verifying', directory);
    return await work(signal, progress.onProgress);
  });
  const text = json ? toJson(directory, verified) : toText(directory, verified);
  await print(terminal.stdout, text, terminal.closed);
}

function toJson(directory: string, verified: VerifiedArtifact): string {
  const { state, keys, id, quant, revision, numFiles, sizeBytes } = verified;
  return `${JSON.stringify({ directory, id, quant, state, keys, revision, files: numFiles, sizeBytes })}\n`;
}

function toText(directory: string, { keys, id, quant, revision, numFiles, sizeBytes }: VerifiedArtifact): string {
  const size = `${numFiles} files, ${(sizeBytes / 2 ** 20).toFixed(1)} MiB`;
  return [
    `${directory}: verified`,
    `  model     ${id} (${quant}), revision ${revision}`,
    `  content   ${size}: every byte is what was signed`,
    ...keys.map((key, i) => `  ${i === 0 ? 'signed by' : '         '} ${key}`),
    '',
  ].join('\n');
}
