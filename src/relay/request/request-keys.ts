// The members of a request that a relay acts on, or reads the size of.

/** Members that we act on. A duplicate could mean one value here and another to the runtime. */
export const ACTED_KEYS = [
  'model',
  'stream',
  'stream_options',
  'n',
  'best_of',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  // Of llama.cpp's and Ollama's own APIs; Ollama has it among its options.
  'n_predict',
  'num_predict',
  'options',
  'cache_salt',
  'prompt',
  'messages',
  'input',
] as const;

/** A member that we act on. */
export type ActedKey = (typeof ACTED_KEYS)[number];

/** Members whose bytes a runtime makes tokens of, in the APIs that are known and in native ones of runtimes. */
export const PROMPT_KEYS: readonly string[] = [
  'messages',
  'prompt',
  'input',
  'inputs',
  'system',
  'instructions',
  'tools',
  'suffix',
  // Of rerankings.
  'query',
  'documents',
  'texts',
];

const byFolded: ReadonlyMap<string, ActedKey> = new Map(ACTED_KEYS.map((key) => [key, key]));

/**
 * The member that a runtime may take `name` for. Runtimes in Go match names without regard to case, by Unicode's simple
 * folding: the Kelvin sign is a k and the long s is an s. Source: Go's encoding/json, foldName.
 */
export function actedKeyOf(name: string): ActedKey | undefined {
  return byFolded.get(foldName(name));
}

/** A name as Go compares it. */
export function foldName(name: string): string {
  const lower = name.toLowerCase();
  return FOLDED.test(lower) ? lower.replaceAll('\u212a', 'k').replaceAll('\u017f', 's') : lower;
}

const FOLDED = /[\u017f\u212a]/;

/** The bit by which small letters of ASCII differ from large ones. */
const LETTER = 0x20;

/** Names that are read, by their length in quotes, as `mayMatter` compares them. */
const byLength: readonly (readonly Uint8Array[])[] = Array.from({ length: 32 }, (_, length) =>
  [...new Set([...ACTED_KEYS, ...PROMPT_KEYS, 'include_usage'])]
    .filter((name) => name.length + 2 === length)
    .map((name) => Buffer.from(`"${name}"`).map((byte) => byte | LETTER)),
);

/**
 * Whether a plain name in quotes may be one of the keys. Creates no string, since bodies may have millions of names.
 */
export function mayMatter(written: Uint8Array): boolean {
  return (byLength[written.length] ?? []).some((name) =>
    name.every((byte, i) => ((written[i] ?? 0) | LETTER) === byte),
  );
}
