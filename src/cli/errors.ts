import type { CodeTable } from '../base/index.js';

/** Error codes of the command line itself; everything else comes from the modules below. */
export const cliCodes = {
  unknown_command: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'the first word of a command line names no command',
  },
  unknown_option: { who: 'caller', kind: 'invalid_argument', when: 'a command does not have an option of that name' },
  invalid_arguments: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'an argument is missing or there is one too many',
  },
  prompt_missing: { who: 'caller', kind: 'invalid_argument', when: 'standard input was to be the prompt and is empty' },
  input_not_text: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'standard input is not UTF-8: UTF-16, another encoding, or no text at all',
  },
  input_too_large: { who: 'caller', kind: 'invalid_argument', when: 'standard input is longer than a prompt may be' },
  retention_unsafe: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a setting of Node or of the system may write prompts or answers to a disk, and serve was not forced',
  },
  interrupted: { who: 'caller', kind: 'cancelled', when: 'Ctrl-C ended the work; exit status 130' },
} as const satisfies CodeTable;
