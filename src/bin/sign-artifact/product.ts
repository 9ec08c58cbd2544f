import { VERSION } from '../../base/index.js';
import type { Product } from '../../cli/index.js';
import { commands } from './commands/index.js';

/** `sign_artifact`. */
export const signArtifactProduct: Product = {
  binary: 'sign_artifact',
  label: 'Troupe signatures',
  version: VERSION,
  summary: 'signs model artifacts, and verifies who did',
  firstCommand: 'keygen me',
  commands,
  codes: async () => (await import('./codes.js')).codeTables,
};
