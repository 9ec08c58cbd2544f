// The private gateway: one entrance to every local model server.
export { gatewayCodes } from './errors.js';
export { GATEWAY_ID_HEADER } from './evidence.js';
export type { RuntimeKind } from './runtime-kind.js';
export { runtimeKinds, type RuntimeKindName } from './runtimes/index.js';
export { compareFingerprint, type FingerprintComparison } from './discovery/fingerprint.js';
export type { Finding, FoundRuntime, OtherEndpoint } from './discovery/finding.js';
export { identifyUrl } from './discovery/identify.js';
export { DEFAULT_SCAN_LIMITS, type ScanLimits } from './discovery/limits.js';
export type { OwnListener } from '../address/index.js';
export { noveltyOf, planEntries, type Existing, type Novelty, type Plan } from './discovery/plan-entries.js';
export { createScan, wellKnownPorts, type Scan, type ScanCounts, type ScanOptions } from './discovery/scan.js';
export { resolveTarget, type ContactRules, type Resolve, type ContactAddress } from './discovery/target.js';
export * from './config/index.js';
export type { GatewaySetup } from './actors/gateway-shared-state.js';
export { createGateway, type Gateway } from './create-gateway.js';
export { createGatewayOperator, type GatewayOperator } from './operations/gateway-operator.js';
export { operations, type OperationName } from './operations/index.js';
export { requestTable, usageTable, type ShownRequest, type ShownUsage } from './operations/record-tables.js';
