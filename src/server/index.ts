// The engine on the network: routes, models by name, logs and metrics. No keys and no billing.
export { serverCodes } from './errors.js';
export { createServer, type Server, type ServerOptions } from './server.js';
export {
  prepareStart,
  inspectArtifact,
  readTrust,
  trustPaths,
  type ArtifactReport,
  type Judges,
  type StartPlan,
} from './config/prepare-start.js';
export { createProductionServer, type ProductionServer } from './services/production-server.js';
export { watchFiles } from './services/watch-files.js';
export { checkStartRules, signatureRules } from './config/start-rules.js';
