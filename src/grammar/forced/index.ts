export { forcedTokens } from './forced-tokens.js';
export { lazyEncoder } from './lazy-encoder.js';
