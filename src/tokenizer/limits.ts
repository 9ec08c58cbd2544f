// Every bound of the module, with its reason. Published tokenizers (up to 262,144 tokens, 35 MB) stay far below.

/** Bytes of a tokenizer.json or tokenizer.bin: the largest published ones have 35 MB; more is no tokenizer. */
export const MAX_TOKENIZER_BYTES = 256 * 1024 * 1024;

/** Ids of a vocabulary, added tokens included: four times the largest published one; bounds every table. */
export const MAX_VOCAB_SIZE = 1 << 20;

/** Merges of a BPE model: ranks below 2^21 keep `rank * 2^31 + position` exact in a float64. */
export const MAX_MERGES = 1 << 21;

/** Beginnings of the tokens of a Unigram model: XLM-RoBERTa's 250,002 tokens have some 600,000. */
export const MAX_TRIE_NODES = 1 << 23;

/** Bytes of a table of character replacements (`precompiled_charsmap`): nmt_nfkc_cf has 320 KB. */
export const MAX_CHARSMAP_BYTES = 16 * 1024 * 1024;

/** Bytes of one replacement: nmt_nfkc's longest has 33. */
export const MAX_REPLACEMENT_BYTES = 1024;

/** Bytes of one token: published vocabularies hold runs of up to 1,024 spaces. */
export const MAX_TOKEN_BYTES = 8192;

/** Added tokens: Gemma 3 has 6,415. */
export const MAX_ADDED_TOKENS = 1 << 16;

/** UTF-16 units of one added token: bounds the look ahead at each place of a text, so that cutting stays linear. */
export const MAX_ADDED_TOKEN_UNITS = 512;

/** UTF-16 units of a text in one `encode`: 64 Mi; its ids alone take half a gigabyte. */
export const MAX_TEXT_UNITS = 1 << 26;

/** Parts in a Sequence, and the depth of Sequences in Sequences: published ones have 4 and 1. */
export const MAX_SEQUENCE_PARTS = 32;
export const MAX_SEQUENCE_DEPTH = 4;

/** Ids that a post-processor may put around a text: published ones have 2. */
export const MAX_TEMPLATE_IDS = 64;

/** UTF-16 units of a regular expression: the longest published one has 600. */
export const MAX_REGEX_UNITS = 16_384;

/** Nodes of a compiled regular expression: bounds `(a{99}){99}`; published ones have some 100. */
export const MAX_REGEX_NODES = 2048;

/** Groups within groups in a regular expression: bounds the parser's recursion. */
export const MAX_REGEX_DEPTH = 32;

/** States of a lazily built automaton before it is thrown away and begun anew: published patterns reach some 60. */
export const MAX_AUTOMATON_STATES = 2048;

/** Words (pre-tokens) whose ids a tokenizer remembers: the vocabulary of a long document; some 3 MB in all. */
export const MAX_CACHED_WORDS = 40_000;

/** UTF-16 units of a word worth remembering: longer ones seldom come twice. */
export const MAX_CACHED_WORD_UNITS = 48;

/** Occupied slots in a row of a table in a file: chance makes some 200; more was made so that look-ups crawl. */
export const MAX_PROBES = 2048;

/** Slots of the word cache that are tried: past that a text was made to collide, and its words are encoded anew. */
export const MAX_CACHE_PROBES = 64;
