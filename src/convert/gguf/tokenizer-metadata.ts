import { TextList, type Metadata, type MetadataValue, type TextParts } from '../../weights/index.js';
import { readMetadata, type MetadataReader } from './metadata-reader.js';

/** What a file says of its tokenizer: data alone, large tables in shared memory, so that a thread can read it. */
export interface TokenizerMetadata {
  readonly file: string;
  readonly values: ReadonlyMap<string, MetadataValue>;
  /** Those that are lists of texts. */
  readonly texts: ReadonlyMap<string, TextParts>;
}

/** The keys of all that concerns a tokenizer begin so. */
const PREFIX = 'tokenizer.';

/** What `metadata` of the file called `file` says of the tokenizer. */
export function pickTokenizer(metadata: Metadata, file: string): TokenizerMetadata {
  const values = new Map<string, MetadataValue>();
  const texts = new Map<string, TextParts>();
  for (const [key, value] of metadata) {
    if (!key.startsWith(PREFIX)) continue;
    if (value instanceof TextList) texts.set(key, value.parts);
    else values.set(key, value);
  }
  return { file, values, texts };
}

/** Reads it by key, on whatever thread. */
export function readPicked({ file, values, texts }: TokenizerMetadata): MetadataReader {
  const lists = [...texts].map(([key, parts]) => [key, new TextList(parts)] as const);
  return readMetadata(new Map<string, MetadataValue>([...values, ...lists]), file);
}
