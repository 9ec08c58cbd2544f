import { VERSION } from '../../base/index.js';
import type { Product } from '../../cli/index.js';
import { commands } from './commands/index.js';

/** `native-engine`. */
export const nativeEngine: Product = {
  binary: 'native-engine',
  label: 'Troupe',
  version: VERSION,
  summary: 'language models on this machine',
  firstCommand: 'run demo',
  commands,
  codes: async () => (await import('./codes.js')).codeTables,
};
