// Commands of a product on its running server: operations by name, over a socket that only its owner may open.
export { askServer, isListening } from './control-client.js';
export { controlPath } from './control-path.js';
export { createControlServer, type ControlOptions, type ControlServer } from './control-server.js';
export { controlCodes } from './errors.js';
export { runOperation, type Operation, type Operations } from './operation.js';
