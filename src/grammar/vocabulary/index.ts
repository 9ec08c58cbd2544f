export { buildTrie, type Trie } from './build-trie.js';
export { createJoinedTrie, createTokenTrie, openTokenTrie } from './token-trie.js';
export type { TokenTrie } from './trie-layout.js';
