import type { CodeTable } from '../base/index.js';

/** Error codes of the command line itself; everything else comes from the modules below. */
export const cliCodes = {
  unknown_command: { who: 'caller', when: 'the first word of a command line names no command' },
  unknown_option: { who: 'caller', when: 'a command does not have an option of that name' },
  invalid_arguments: { who: 'caller', when: 'an argument is missing or there is one too many' },
  prompt_missing: { who: 'caller', when: 'standard input was to be the prompt and is empty' },
  input_not_text: { who: 'caller', when: 'standard input is not UTF-8: UTF-16, another encoding, or no text at all' },
  input_too_large: { who: 'caller', when: 'standard input is longer than a prompt may be' },
  interrupted: { who: 'caller', when: 'Ctrl-C ended the work; exit status 130' },
} as const satisfies CodeTable;
