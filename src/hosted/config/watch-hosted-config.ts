import { isDeepStrictEqual } from 'node:util';
import {
  createConfigFile,
  readConfigText,
  watchConfigFile,
  type ConfigText,
  type FileOutcome,
  type FileWatcher,
  type FileWatcherOptions,
} from '../../yaml-file/index.js';
import type { HostedConfig } from './hosted-config.js';
import { hostedFileKind } from './hosted-file-kind.js';
import { parseHostedConfig } from './parse-hosted-config.js';

/** The result of a reload of a hosted.yaml. */
export type HostedOutcome = FileOutcome<HostedConfig>;

/**
 * Reads a hosted.yaml. Errors: `hosted_config_missing`, `hosted_config_invalid` for bytes that are not text, those of
 * the system.
 */
export function readHostedText(path: string): Promise<ConfigText> {
  return readConfigText(hostedFileKind, path);
}

/** Creates a hosted.yaml with mode 0600. Errors: `hosted_config_exists`, those of the system. */
export function createHostedFile(path: string, text: string): Promise<void> {
  return createConfigFile(hostedFileKind, path, text);
}

/** Reads the hosted.yaml at `path` and follows its changes. Errors: those of reading and of `parseHostedConfig`. */
export function watchHostedConfig(
  path: string,
  options: FileWatcherOptions<HostedConfig>,
): Promise<FileWatcher<HostedConfig>> {
  return watchConfigFile(path, { kind: hostedFileKind, parse: parseHostedConfig, findNeedRestart }, options);
}

/** Fields that are taken once, when a service starts. */
function findNeedRestart(before: HostedConfig, after: HostedConfig): readonly string[] {
  const fields = [
    ['listen', before.listen, after.listen],
    ['base_paths', before.basePaths, after.basePaths],
    ['public_urls', before.publicUrls, after.publicUrls],
    ['data_dir', before.dataDir, after.dataDir],
    ['database', before.database, after.database],
    ['usage_days', before.usageDays, after.usageDays],
    ['valkey', before.valkey, after.valkey],
    ['secret', before.secret, after.secret],
    ['gateways', before.gateways, after.gateways],
    ['operator', before.operator, after.operator],
    ['limits.header_kib', before.limits.maxHeaderBytes, after.limits.maxHeaderBytes],
    ['limits.disconnect_streams', before.limits.disconnectStreams, after.limits.disconnectStreams],
  ] as const;
  return fields.filter(([, old, now]) => !isDeepStrictEqual(old, now)).map(([name]) => name);
}
