import type { Automaton, WorkBudget } from '../../regular/index.js';

/** A format of strings that is enforced, exported by a file of the registry `formats`. */
export interface Format {
  /** As in `format` of a schema. */
  readonly name: string;
  /** The part of the standard that is left out, or an empty text. */
  readonly narrower: string;
  /** The automaton of its strings. */
  readonly compile: (budget: WorkBudget) => Automaton;
}
