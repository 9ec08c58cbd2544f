import {
  ANY_TEXT,
  choice,
  compilePattern,
  complement,
  intersect,
  literal,
  sequence,
  type Automaton,
  type WorkBudget,
} from '../../regular/index.js';

/** A text that no text of a grammar may contain, because it ends the surrounding element. */
export interface AvoidedText {
  readonly text: string;
  /** All texts without it. */
  readonly free: Automaton;
  /** Of those, the texts that end without a beginning of it: concatenated, they lack it too. */
  readonly apart: Automaton;
}

/** `text` is not empty, and its first character is nowhere else in it. */
export function avoidText(text: string, budget: WorkBudget): AvoidedText {
  const free = complement(compilePattern(sequence(ANY_TEXT, literal(text), ANY_TEXT), budget), budget);
  const characters = [...text];
  const beginnings = characters.slice(1).map((_, i) => literal(characters.slice(0, i + 1).join('')));
  const ending = compilePattern(sequence(ANY_TEXT, choice(...beginnings)), budget);
  return { text, free, apart: intersect(free, complement(ending, budget), budget) };
}
