// gRPC for all services: HTTP/2 with mutual TLS, identities of clients, limits, statuses, health and reflection.
export { grpcCodes } from './errors.js';
export { HealthStatuses } from './health/health-statuses.js';
export { healthService } from './health/health-service.js';
export {
  createAccessList,
  ENTRY_FORMS,
  openAccess,
  parseIdentityEntry,
  type AccessList,
  type Role,
} from './identity/access-list.js';
export type { Identity } from './identity/identity.js';
export type { GrpcLimits } from './limits.js';
export * from './messages.js';
export { reflectionServices } from './reflection/reflection-service.js';
export type { EndedCall } from './serving/call-gate.js';
export { createGrpcServer, type GrpcServer } from './serving/grpc-server.js';
export type { CutOff } from './serving/connection.js';
export type { OpenCall } from './serving/open-call.js';
export { defineService, type CallFacts, type GrpcService, type ServiceCall } from './serving/service.js';
export { createStatusMapper, ERROR_DOMAIN, REQUEST_ID_KEY, type ToStatus } from './status/status-mapper.js';
export type { RefusedConnection } from './tls/secure-listener.js';
export { readTlsMaterial, type TlsMaterial, type TlsPaths } from './tls/tls-material.js';
