import type { CodeTable } from '../base/index.js';

/** Codes of turning a chat request into an answer. A prompt without room is the engine's `context_length_exceeded`. */
export const completionCodes = {
  template_timeout: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a chat template did not end within its time limit and was stopped',
  },
  template_missing: {
    who: 'operator',
    kind: 'unimplemented',
    when: 'the model has no chat template, and none was chosen: it can continue text, but not answer messages',
  },
  unsupported_by_template: {
    who: 'caller',
    kind: 'unimplemented',
    when: 'a request brings what the chat template of the model makes no use of, such as tools or thinking',
  },
  tokenizer_missing: {
    who: 'operator',
    kind: 'unimplemented',
    when: 'the model has no tokenizer, so it can only take token ids',
  },
} as const satisfies CodeTable;
