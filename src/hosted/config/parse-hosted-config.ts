import {
  createTextCheck,
  toConfigError,
  type CheckedText,
  type ParsedFile,
  type Problem,
  type TextPosition,
} from '../../yaml-file/index.js';
import { crossCheck } from './cross-checks.js';
import { toHostedConfig, type HostedConfig } from './hosted-config.js';
import { HostedFile } from './hosted-file.js';
import { hostedFileKind } from './hosted-file-kind.js';
import { textChecks } from './text-checks.js';

/** Our secrets, and the forms of known providers' secrets. Nothing may touch them: a hash does not match. */
const PLAIN_SECRET =
  /(?<![0-9A-Za-z])(?:(?:gwk|gwa|hak)_[0-9A-Za-z]{6}_[0-9A-Za-z]{20,}|sk-[A-Za-z0-9_-]{20,}|postgres(?:ql)?:\/\/[^\s:@/]+:[^\s@/]+@)/g;

/** Finds secrets in plain text anywhere in the file, in comments too: a reader of the file could use them. */
function findPlainSecrets(text: string, placeAt: (offset: number) => TextPosition): Problem[] {
  return [...text.matchAll(PLAIN_SECRET)].map(({ index }) => {
    const message =
      'this field has a secret in plain text; remove it, refer to it by { env: NAME } or { file: PATH }, and replace the secret at its issuer, since it may have leaked';
    return { ...placeAt(index), field: '', message };
  });
}

/** Checks any text. Never throws: `problems` lists every mistake. */
export const checkHostedConfig: (text: string) => CheckedText<HostedFile> = createTextCheck({
  schema: HostedFile,
  checks: textChecks,
  findInText: findPlainSecrets,
  crossCheck,
});

/**
 * The hosted.yaml `text`, read at `path`. Errors: `hosted_config_invalid`, which lists every mistake with its line and
 * column.
 */
export function parseHostedConfig(text: string, path: string): ParsedFile<HostedConfig> {
  const { file, problems, warnings } = checkHostedConfig(text);
  if (file === undefined) throw toConfigError(hostedFileKind, path, problems);
  return { config: toHostedConfig(file, path), warnings };
}
