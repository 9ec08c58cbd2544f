export { buildTrie, type Trie } from './build-trie.js';
export { createJoinedTrie, createTokenTrie, openTokenTrie } from './token-trie.js';
export type { VocabularyTrie } from './trie-layout.js';
