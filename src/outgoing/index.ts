// One POST of JSON to an address that is checked, as webhooks and collectors of telemetry get it.
export { postJson, type Attempt, type OutgoingNetwork } from './post-json.js';
