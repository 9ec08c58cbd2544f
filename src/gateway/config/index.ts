// gateway.yaml: its schema, its reader, edits that keep its comments, its file and the watcher of its changes.
export {
  formatProblem,
  toAuthority,
  toWords,
  type ConfigText,
  type FieldSchema,
  type Problem,
  type SecretSource,
  type UpdatedFile,
  type UpdateOptions,
} from '../../yaml-file/index.js';

export { compareLines } from './edit/compare-lines.js';
export type { ConfigEdit, ConfigList } from './edit/config-edit.js';
export { editGatewayConfig } from './edit/edit-gateway-config.js';
export { diffLines, type LineDiff } from './edit/line-diff.js';
export { newGatewayConfig, type NewConfig, type NewEntry } from './edit/new-config.js';
export { createGatewayFile, readGatewayText, refuseGatewayFile, updateGatewayFile } from './file/config-file.js';
export {
  watchGatewayConfig,
  type ConfigInUse,
  type ConfigWatcher,
  type ReloadOutcome,
  type WatcherOptions,
} from './file/config-watcher.js';
export { matchesModel } from './parse/key-checks.js';
export type * from './gateway-config.js';
export type { PriceEntry } from './schema/model.js';
export type { KeyLimitFields } from './schema/virtual-key.js';
export {
  checkGatewayConfig,
  parseGatewayConfig,
  type CheckedConfig,
  type ParsedConfig,
} from './parse/parse-gateway-config.js';
export { runtimeKindNames } from './runtime-kinds.js';
export { MAX_GATEWAY_MODELS, MAX_RUNTIMES, MAX_TARGETS } from './limits.js';
export { GatewayFile } from './schema/gateway-file.js';
