// A client of production servers over gRPC: `troupe/client`.
export {
  createClient,
  FinishReason,
  ModelState,
  ServingStatus,
  ToolChoiceMode,
  type Client,
  type ControlClient,
  type HealthClient,
} from './client.js';
export type { ClientCallOptions, ClientOptions, ClientTls, Pem } from './client-options.js';
export { clientCodes } from './errors.js';
