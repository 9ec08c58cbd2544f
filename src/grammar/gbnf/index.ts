export { readGbnf } from './read-gbnf.js';
