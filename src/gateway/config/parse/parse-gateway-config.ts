import { createTextCheck, toConfigError, type CheckedText, type ParsedFile } from '../../../yaml-file/index.js';
import { gatewayFileKind } from '../file/gateway-file-kind.js';
import { toGatewayConfig, type GatewayConfig } from '../gateway-config.js';
import { GatewayFile } from '../schema/gateway-file.js';
import { crossCheck } from './cross-checks.js';
import { findPlainKeys } from './plain-keys.js';
import { textChecks } from './text-checks.js';

/** The result of checking a text as a gateway.yaml. */
export type CheckedConfig = CheckedText<GatewayFile>;

/** A gateway.yaml that can be used. */
export type ParsedConfig = ParsedFile<GatewayConfig>;

const check = createTextCheck({ schema: GatewayFile, checks: textChecks, findInText: findPlainKeys, crossCheck });

/** Checks any text. Never throws: `problems` lists every mistake. */
export function checkGatewayConfig(text: string): CheckedConfig {
  return check(text);
}

/**
 * The gateway.yaml `text`, read at `path`. Errors: `gateway_config_invalid`, which lists every mistake with its line
 * and column.
 */
export function parseGatewayConfig(text: string, path: string): ParsedConfig {
  const { file, problems, warnings } = checkGatewayConfig(text);
  if (file === undefined) throw toConfigError(gatewayFileKind, path, problems);
  return { config: toGatewayConfig(file, path), warnings };
}
