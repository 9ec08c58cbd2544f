import { editGatewayConfig } from './edit-gateway-config.js';
import type { ConfigEdit, WrittenFields } from './config-edit.js';

/** The first content of a new file. */
export interface NewConfig {
  /** `gw_` and letters and digits. */
  readonly gatewayId: string;
  readonly runtimes?: readonly NewEntry[];
  readonly models?: readonly NewEntry[];
  readonly virtualKeys?: readonly NewEntry[];
}

/** An entry as the file has it. */
export type NewEntry = WrittenFields & { readonly id: string };

const template = (gatewayId: string): string => `# The private gateway. Every field: docs/gateway-config.md.
# A change of this file takes effect at once; a change with a mistake is refused, and the earlier content stays in use.

gateway_id: ${gatewayId}
listen: 127.0.0.1:9440
data_dir: ./gateway-data # relative to this file

# Model servers. Those that \`init\` found are listed with what they proved to be.
runtimes: []

# What clients ask for, and which runtimes serve it.
models: []

# Keys of clients: only their hashes stand here.
virtual_keys: []
`;

/** The text of a new gateway.yaml, with comments. Errors: `gateway_config_invalid`, which names `path`. */
export function newGatewayConfig({ gatewayId, ...lists }: NewConfig, path: string): string {
  const edits: ConfigEdit[] = [
    ...(lists.runtimes ?? []).map((entry): ConfigEdit => ({ action: 'add', list: 'runtimes', entry })),
    ...(lists.models ?? []).map((entry): ConfigEdit => ({ action: 'add', list: 'models', entry })),
    ...(lists.virtualKeys ?? []).map((entry): ConfigEdit => ({ action: 'add', list: 'virtual_keys', entry })),
  ];
  return editGatewayConfig(template(gatewayId), edits, path);
}
