// The engine on the network: routes, models by name, logs and metrics. No keys and no billing.
export { serverCodes } from './errors.js';
export { createServer, type Server, type ServerOptions } from './server.js';
