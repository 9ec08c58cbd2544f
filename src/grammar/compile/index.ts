export { checkCompiled } from './check-compiled.js';
export { compileGrammar } from './compile-grammar.js';
export { type CompiledGrammar, TAIL } from './compiled-grammar.js';
