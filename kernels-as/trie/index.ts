// A vocabulary becomes a trie in flat tables: the functions of `TrieKernels` in src/grammar/vocabulary/trie-kernels.ts, which lays the
// memory out. A module of its own; it runs once for a vocabulary, so code that is fast in its first call is what counts.
export { dropTexts, fillRows } from './rows';
export { sortRows } from './sort';
export { comparePrefixes, putNodes } from './nodes';
export { addWords } from './sum';
