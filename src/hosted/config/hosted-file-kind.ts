import type { FileKind } from '../../yaml-file/index.js';

/** hosted.yaml. */
export const hostedFileKind: FileKind = {
  codes: {
    invalid: 'hosted_config_invalid',
    missing: 'hosted_config_missing',
    exists: 'hosted_config_exists',
    changed: 'hosted_config_changed',
  },
  toMake: (path) => `write one with hosted-api init --config ${path}`,
  toReplace: 'choose another path, or move it away',
};
