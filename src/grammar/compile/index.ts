export { checkCompiled } from './check-compiled.js';
export { compileGrammar } from './compile-grammar.js';
export { type CompiledGrammar, TAIL_CALL } from './compiled-grammar.js';
