import type { CodeTable } from '../base/index.js';

/** Codes of the models directory. */
export const storeCodes = {
  name_invalid: {
    who: 'caller',
    kind: 'invalid_argument',
    when: 'a name of a model cannot be that of a directory on every system, or is no `org/name`',
  },
  name_taken: {
    who: 'caller',
    kind: 'already_exists',
    when: 'the directory that a model would have in the models directory holds another one',
  },
} as const satisfies CodeTable;
