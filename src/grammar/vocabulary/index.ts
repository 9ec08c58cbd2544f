export { buildTrie, type Trie } from './build-trie.js';
export { createTokenTrie, openTokenTrie, type TokenTrie } from './token-trie.js';
