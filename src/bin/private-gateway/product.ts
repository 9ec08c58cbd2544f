import { VERSION } from '../../base/index.js';
import type { Product } from '../../cli/index.js';
import { commands } from './commands/index.js';

/** `private-gateway`. */
export const privateGateway: Product = {
  binary: 'private-gateway',
  label: 'Troupe',
  version: VERSION,
  summary: 'one entrance to the model servers of this machine or network',
  firstCommand: 'init --config gateway.yaml',
  commands,
  codes: async () => (await import('./codes.js')).codeTables,
};
