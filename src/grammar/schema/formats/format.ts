import type { Automaton, Budget } from '../../regular/index.js';

/** A format of strings that is enforced: what the files of the registry `formats` export. */
export interface Format {
  /** As in `format` of a schema. */
  readonly name: string;
  /** What is left out although the standard has it, or nothing. */
  readonly narrower: string;
  /** The automaton of its strings. */
  readonly compile: (budget: Budget) => Automaton;
}
