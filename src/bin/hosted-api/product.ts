import { VERSION } from '../../base/index.js';
import type { Product } from '../../cli/index.js';
import { commands } from './commands/index.js';

/** `hosted-api`. */
export const hostedApi: Product = {
  binary: 'hosted-api',
  label: 'Troupe',
  version: VERSION,
  summary: 'paid providers and connected gateways under one address, with exact billing',
  firstCommand: 'init --config hosted.yaml',
  commands,
  codes: async () => (await import('./codes.js')).codeTables,
};
