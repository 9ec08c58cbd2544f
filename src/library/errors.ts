import type { CodeTable } from '../base/index.js';

/** Codes of finding models by name. */
export const libraryCodes = {} as const satisfies CodeTable;
