import { CALL, deepseekDialect, deepseekNotation, END_CALL, SEPARATOR } from '../calls/deepseek-calls.js';
import type { ModelDialect } from '../chat-parser.js';

/** DeepSeek V3.1: the name comes before the separator, without a fence. Source: the chat template of DeepSeek-V3.1. */
export const deepseekV31: ModelDialect = {
  ...deepseekDialect,
  name: 'deepseekV31',
  calls: { ...deepseekNotation, open: (name) => [`${CALL}${name}${SEPARATOR}`], close: [END_CALL], between: '' },
};
