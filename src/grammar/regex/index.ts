/** Regular expressions of ECMA-262 as automata. */

export { compileRegex, readRegex, type RegexOptions } from './read-regex.js';
