export { buildTrie, type Trie } from './build-trie.js';
export { createJoinedTrie, createTokenTrie, openTokenTrie, type TokenTrie } from './token-trie.js';
