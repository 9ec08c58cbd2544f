import type { FileKind } from '../../../yaml-file/index.js';

/** gateway.yaml. */
export const gatewayFileKind: FileKind = {
  codes: {
    invalid: 'gateway_config_invalid',
    missing: 'gateway_config_missing',
    exists: 'gateway_config_exists',
    changed: 'gateway_config_changed',
  },
  toMake: (path) => `write one with private-gateway init --config ${path}`,
  toReplace: 'choose another path, or use --force to scan again and keep its id, keys and comments',
};
