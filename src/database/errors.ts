import type { CodeTable } from '../base/index.js';

/** Codes of databases. */
export const databaseCodes = {
  database_unavailable: {
    who: 'wait',
    kind: 'unavailable',
    when: 'the database does not answer, answers too late, or cannot write',
  },
  database_conflict: {
    who: 'developer',
    kind: 'internal',
    when: 'a statement breaks a constraint of the database',
  },
  database_refused: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'PostgreSQL does not let this user in, or has no such database',
  },
  database_invalid: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'a database is damaged, or a newer version of the program has written it',
  },
  database_in_use: {
    who: 'operator',
    kind: 'failed_precondition',
    when: 'another process has the file of a database open',
  },
} as const satisfies CodeTable;
