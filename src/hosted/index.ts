// The hosted API: providers by path, connected gateways, exact billing.
export * from './config/index.js';
export { hostedCodes } from './errors.js';
export { createHostedOperator, type HostedOperator } from './operations/hosted-operator.js';
export { auditFile, type AuditFileAsked } from './audit/audit-file.js';
export { operations, type OperationName } from './operations/index.js';
export type { ShownAccount, ShownGateway, ShownKey, ShownPrice } from './operations/shown.js';
export { toCsv } from './reports/csv.js';
export type { PaymentRow, Statement } from './reports/statement.js';
export type { UsageReportRow } from './reports/usage-report.js';
export { readPriceFile } from './prices/read-price-file.js';
export { migrateService } from './service/migrate-service.js';
export { openService, type Service, type ServiceOptions } from './service/open-service.js';
export { readServiceId, type ReadSecret } from './service/read-service-secret.js';
export type { HostedSetup } from './actors/node-shared-state.js';
export { createHosted, type Hosted } from './create-hosted.js';
