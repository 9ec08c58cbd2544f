import { createTextCheck, toConfigError, type CheckedText, type ParsedFile } from '../../yaml-file/index.js';
import { crossCheck } from './cross-checks.js';
import { toHostedConfig, type HostedConfig } from './hosted-config.js';
import { HostedFile } from './hosted-file.js';
import { hostedFileKind } from './hosted-file-kind.js';
import { findPlainSecrets } from './plain-secrets.js';
import { textChecks } from './text-checks.js';

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
