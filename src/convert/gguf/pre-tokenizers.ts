// How the byte-level tokenizers cut a text into words, by GGUF's names. Source: llama.cpp, llama-vocab.cpp,
// `llama_vocab::impl::load` (names) and `llm_tokenizer_bpe` (patterns).

/** A part of tokenizer.json. */
type Part = Readonly<Record<string, unknown>>;

/** One way to cut, and llama.cpp's implied settings. */
export interface PreTokenizerKind {
  readonly parts: readonly Part[];
  /** A word that is a token stays whole, whatever the merges. */
  readonly ignoreMerges: boolean;
  /** Default of a file without the field: whether a text begins with the BOS token. */
  readonly addBos: boolean;
}

const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const split = (pattern: string): Part => ({
  type: 'Split',
  pattern: { Regex: pattern },
  behavior: 'Isolated',
  invert: false,
});
const bytes = (useRegex: boolean): Part => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: true,
  use_regex: useRegex,
});
const kind = (...parts: readonly Part[]): PreTokenizerKind => ({ parts, ignoreMerges: false, addBos: false });

/** Words, then digits one by one or in threes. */
const withDigits = (digits: string): Part =>
  split(
    `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
  );

const gpt2 = kind(bytes(true));
const smollm = kind({ type: 'Digits', individual_digits: true }, bytes(true));
const qwen2 = kind(withDigits('\\p{N}'), bytes(false));
const threes = kind(withDigits('\\p{N}{1,3}'), bytes(false));
const llama3 = { ...threes, ignoreMerges: true, addBos: true };
const unnamed = kind(
  split('[\\p{P}\\$\\+<=>\\^~\\|]+'),
  split("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)"),
  split('\\p{N}+'),
  split('[0-9][0-9][0-9]'),
  bytes(false),
);

/** `tokenizer.ggml.pre` → how it cuts. */
export const preTokenizerKinds: ReadonlyMap<string, PreTokenizerKind> = new Map([
  ['default', unnamed],
  ['gpt-2', gpt2],
  ['phi-2', gpt2],
  ['mpt', gpt2],
  ['olmo', gpt2],
  ['jais', gpt2],
  ['exaone4', gpt2],
  ['smollm', smollm],
  ['starcoder', smollm],
  ['refact', smollm],
  ['qwen2', qwen2],
  ['deepseek-r1-qwen', qwen2],
  ['llama3', llama3],
  ['llama-v3', llama3],
  ['llama-bpe', llama3],
  ['lfm2', llama3],
  ['dbrx', threes],
  ['smaug-bpe', threes],
]);
