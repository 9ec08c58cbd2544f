import type { CodeTable } from '../base/index.js';

/** Codes of a model that is refused before a single weight is read. */
export const modelCodes = {
  config_invalid: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'config.json lacks a field, or a field has an impossible value',
  },
  unsupported_architecture: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'model_type is not in the registry of architectures',
  },
  unsupported_config: {
    who: 'caller',
    kind: 'failed_precondition',
    when: 'a field of config.json changes the mathematics in a way that is not supported',
  },
} as const satisfies CodeTable;
