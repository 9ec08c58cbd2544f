import type { PartParser } from '../file/part.js';
import { isIn, type CodePointSet } from '../unicode/code-points.js';
import type { Normalizer } from './normalizer.js';

// Source: huggingface/tokenizers, normalizers/unicode.rs, do_nmt. All of them lie in the basic plane, so units do.
const dropped: CodePointSet = [0x01, 0x08, 0x0b, 0x0b, 0x0e, 0x1f, 0x7f, 0x7f, 0x8f, 0x8f, 0x9f, 0x9f];
const spaces: CodePointSet = [
  0x09, 0x0a, 0x0c, 0x0d, 0x1680, 0x1680, 0x200b, 0x200f, 0x2028, 0x2029, 0x2581, 0x2581, 0xfeff, 0xfeff, 0xfffd,
  0xfffd,
];

/** Nmt: drops control characters, and makes spaces of other white space and of characters that are not seen. */
export const Nmt: PartParser<Normalizer> = () => ({
  normalize(text) {
    const parts: string[] = [];
    let kept = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const isSpace = isIn(spaces, unit);
      if (!isSpace && !isIn(dropped, unit)) continue;
      parts.push(text.slice(kept, at), isSpace ? ' ' : '');
      kept = at + 1;
    }
    return kept === 0 ? text : parts.join('') + text.slice(kept);
  },
  stableBelow: 0,
});
