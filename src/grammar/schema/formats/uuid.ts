import { compileRegex } from '../../regex/index.js';
import type { Format } from './format.js';

/** RFC 9562, section 4. */
export const uuid: Format = {
  name: 'uuid',
  narrower: '',
  compile: (budget) => compileRegex('[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}', { anchored: true }, budget),
};
