import type { Dialect } from '../chat-parser.js';
import { hermes } from './hermes.js';
import { plain } from './plain.js';

/** Every dialect by its name. */
export const dialects = { hermes, plain } as const satisfies Record<string, Dialect>;
