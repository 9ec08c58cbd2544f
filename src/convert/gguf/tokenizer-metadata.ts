import { TextList, type Metadata, type MetadataValue, type TextParts } from '../../weights/index.js';
import { readConversionMetadata, type MetadataReader } from './metadata-reader.js';

/** A file's metadata of its tokenizer: data alone, large tables in shared memory, so that a thread can read it. */
export interface TokenizerMetadata {
  readonly file: string;
  readonly values: ReadonlyMap<string, MetadataValue>;
  /** The values that are lists of texts. */
  readonly texts: ReadonlyMap<string, TextParts>;
}

/** Prefix of a tokenizer's keys. */
const PREFIX = 'tokenizer.';

/** The tokenizer's part of `metadata` of the file called `file`. */
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

/** Reads it by key, on any thread. */
export function readPicked({ file, values, texts }: TokenizerMetadata): MetadataReader {
  const lists = [...texts].map(([key, parts]) => [key, new TextList(parts)] as const);
  return readConversionMetadata(new Map<string, MetadataValue>([...values, ...lists]), file);
}
