import { isDeepStrictEqual } from 'node:util';
import {
  watchConfigFile,
  type FileInUse,
  type FileOutcome,
  type FileWatcher,
  type FileWatcherOptions,
} from '../../../yaml-file/index.js';
import type { GatewayConfig } from '../gateway-config.js';
import { parseGatewayConfig } from '../parse/parse-gateway-config.js';
import { gatewayFileKind } from './gateway-file-kind.js';

/** The gateway.yaml in use. */
export type ConfigInUse = FileInUse<GatewayConfig>;
/** The result of a reload of a gateway.yaml. */
export type ReloadOutcome = FileOutcome<GatewayConfig>;
/** How a gateway.yaml is followed. */
export type WatcherOptions = FileWatcherOptions<GatewayConfig>;
/** A gateway.yaml that is followed until it is disposed of. */
export type ConfigWatcher = FileWatcher<GatewayConfig>;

/** Reads the gateway.yaml at `path` and follows it. Errors: those of reading and of `parseGatewayConfig`. */
export function watchGatewayConfig(path: string, options: WatcherOptions): Promise<ConfigWatcher> {
  return watchConfigFile(path, { kind: gatewayFileKind, parse: parseGatewayConfig, findNeedRestart }, options);
}

/** Fields that are taken once, when a gateway starts. */
function findNeedRestart(before: GatewayConfig, after: GatewayConfig): readonly string[] {
  const fields = [
    ['gateway_id', before.gatewayId === after.gatewayId],
    ['listen', before.listen.host === after.listen.host && before.listen.port === after.listen.port],
    ['data_dir', before.dataDir === after.dataDir],
    ['admin', isDeepStrictEqual(before.admin, after.admin)],
    ['limits.header_kib', before.limits.maxHeaderBytes === after.limits.maxHeaderBytes],
  ] as const;
  return fields.filter(([, isSame]) => !isSame).map(([name]) => name);
}
