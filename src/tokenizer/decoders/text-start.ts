import type { TokenVocabulary } from '../tokens/vocabulary.js';
import type { TextStartRule } from './decoder.js';

/** The beginning of one text: the characters that its tokens lose there. */
export interface TextStart {
  /** Whether the next token may lose something. */
  readonly isOpen: boolean;
  /** The bytes that token `id` adds to the text, which it is put to. */
  take(id: number): Uint8Array;
  /** The same without putting it there. */
  peek(id: number): Uint8Array;
}

const SPACE = 0x20;

/** `silent`: tokens that a text may begin with and still be at its beginning (control tokens of sentencepiece). */
export function createTextStart(
  rule: TextStartRule,
  vocabulary: TokenVocabulary,
  silent: ReadonlySet<number>,
): TextStart {
  let left = rule.kind === 'strip' ? rule.count : rule.kind === 'none' ? 0 : 1;
  const wholeOf = (id: number): Uint8Array =>
    vocabulary.bytes.subarray(vocabulary.offsets[id], vocabulary.offsets[id + 1]);

  /** The bytes of a token, and how many more may still be lost after it. */
  const read = (id: number): { readonly bytes: Uint8Array; readonly left: number } => {
    const bytes = wholeOf(id);
    if (left === 0 || rule.kind === 'none') return { bytes, left: 0 };
    if (rule.kind === 'strip') {
      const cut = leadingCount(bytes, { content: rule.content, count: left });
      return { bytes: bytes.subarray(cut), left: cut < bytes.length ? 0 : left - cut };
    }
    if (rule.kind === 'first') {
      if (bytes.length === 0 && vocabulary.contentOf(id) === '') return { bytes, left };
      const content = vocabulary.contentOf(id);
      if (!content.includes(rule.replacement)) return { bytes, left: 0 };
      return { bytes: new TextEncoder().encode(content.replaceAll(rule.replacement, '')), left: 0 };
    }
    if (silent.has(id) || bytes.length === 0) return { bytes, left };
    if (bytes[0] !== SPACE || !vocabulary.contentOf(id).startsWith('▁')) return { bytes, left: 0 };
    return { bytes: bytes.subarray(1), left: rule.every && bytes.length === 1 ? 1 : 0 };
  };

  return {
    get isOpen() {
      return left > 0;
    },
    peek: (id) => read(id).bytes,
    take(id) {
      const taken = read(id);
      left = taken.left;
      return taken.bytes;
    },
  };
}

/** How many of the first bytes of `text` are `content`, which is ASCII; at most `count`. */
export function leadingCount(
  text: Uint8Array,
  { content, count }: { readonly content: string; readonly count: number },
): number {
  let cut = 0;
  while (cut < text.length && cut < count && text[cut] === content.charCodeAt(0)) cut++;
  return cut;
}
