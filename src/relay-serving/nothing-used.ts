import { NO_TOKENS } from '../relay/index.js';

/** What a request costs that failed before its first token. */
export const NO_USAGE = { ...NO_TOKENS, began: false } as const;
