// gateway.yaml on the disk.
import {
  createConfigFile as createFile,
  readConfigText as readText,
  refuseConfigFile as refuseFile,
  updateConfigFile as updateFile,
  type ConfigText,
  type UpdatedFile,
  type UpdateOptions,
} from '../../../yaml-file/index.js';
import { gatewayFileKind } from './gateway-file-kind.js';

/**
 * Reads a gateway.yaml. Errors: `gateway_config_missing`, `gateway_config_invalid` for bytes that are not text, those
 * of the system.
 */
export function readGatewayText(path: string): Promise<ConfigText> {
  return readText(gatewayFileKind, path);
}

/** Checks before any work that a new file can be written. Errors: `gateway_config_exists`, those of the system. */
export function refuseGatewayFile(path: string): Promise<void> {
  return refuseFile(gatewayFileKind, path);
}

/** Creates a file, whole or not at all, with mode 0600. Errors: `gateway_config_exists`, those of the system. */
export function createGatewayFile(path: string, text: string): Promise<void> {
  return createFile(gatewayFileKind, path, text);
}

/**
 * Reads a file, and writes the text that `edit` returns. Errors: those of reading and of `edit`,
 * `gateway_config_changed`.
 */
export function updateGatewayFile(
  path: string,
  edit: (text: string) => string,
  options: UpdateOptions = {},
): Promise<UpdatedFile> {
  return updateFile(gatewayFileKind, path, edit, options);
}
