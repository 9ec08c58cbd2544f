import { NO_TOKENS } from '../relay/index.js';

/** The usage of a request that failed before its first token. */
export const NO_USAGE = { ...NO_TOKENS, began: false } as const;
