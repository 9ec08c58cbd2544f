/** Regular languages over code points: patterns, automata, their algebra, and their spelling as bytes. */

export { acceptsText, isEmpty, numStates, trim, type Automaton } from './automaton.js';
export { complement, intersect, subtract, unite } from './boolean.js';
export { createBudget, MAX_STATES, MAX_STEPS, automatonTooLarge, type WorkBudget } from './work-budget.js';
export { ANY_CODE_POINT, complementSet, toCodePointSet, uniteSets, type CodePointRanges } from './code-points.js';
export { compilePattern } from './determinize.js';
export { minimize } from './minimize.js';
export { fromByteTexts, fromTexts } from './from-words.js';
export { WORD } from './nfa.js';
export {
  ANY_CHAR,
  ANY_TEXT,
  chars,
  choice,
  literal,
  optional,
  repeat,
  sequence,
  type Assertion,
  type Pattern,
} from './pattern.js';
export { listTexts, shortestText } from './texts.js';
export { toJsonString, toUtf8, type JsonSpelling } from './to-bytes.js';
