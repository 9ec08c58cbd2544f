import {
  CALL,
  deepseekDialect,
  deepseekNotation,
  END_CALL,
  END_FENCE,
  FENCE,
  SEPARATOR,
} from '../calls/deepseek-calls.js';
import type { ModelDialect } from '../chat-parser.js';

/**
 * DeepSeek V3, R1 and models distilled from it: a row of calls between tags. Each call has its kind, its name on the
 * line of a separator, and its arguments in a fence. Source: the chat templates of DeepSeek-V3 and DeepSeek-R1.
 */
export const deepseek: ModelDialect = {
  ...deepseekDialect,
  name: 'deepseek',
  words: [FENCE],
  calls: {
    ...deepseekNotation,
    open: (name) => [`${CALL}function${SEPARATOR}${name}\n${FENCE}\n`],
    close: [`\n${END_FENCE}${END_CALL}`],
    between: '\n',
  },
};
