import { readBase64, toText } from '../file/json.js';
import type { PartParser } from '../file/part.js';
import { createClusterFinder } from '../unicode/clusters.js';
import { readCharsmap } from './charsmap.js';
import type { Normalizer } from './normalizer.js';

/** UTF-8 bytes from which a cluster of characters is never looked up as a whole. */
const LONG_CLUSTER = 6;

/**
 * Precompiled: replaces characters by a table of sentencepiece, but differently from sentencepiece. A visible character
 * (grapheme cluster) of up to 5 bytes is replaced as a whole by the shortest beginning of it in the table. Source:
 * huggingface/tokenizers, normalizers/precompiled.rs, and its crate spm_precompiled.
 */
export const Precompiled: PartParser<Normalizer> = (spec, { categoryOf, where }) => {
  const place = `${where}.precompiled_charsmap`;
  const charsmap = readCharsmap(readBase64(toText(spec['precompiled_charsmap'], place), place), place);
  const clusterEnd = createClusterFinder(categoryOf);
  const encoder = new TextEncoder();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const replace = (part: string): string | undefined => {
    const bytes = encoder.encode(part);
    const found = charsmap.find(bytes, 0, bytes.length, 'shortest');
    return found === undefined ? undefined : decoder.decode(found.bytes);
  };
  const known = new Map<string, string>();
  const replaceCluster = (cluster: string): string => {
    const whole = Buffer.byteLength(cluster) < LONG_CLUSTER ? replace(cluster) : undefined;
    return whole ?? Array.from(cluster, (character) => replace(character) ?? character).join('');
  };
  const normalize = (text: string): string => {
    const parts: string[] = [];
    for (let at = 0; at < text.length;) {
      const end = clusterEnd(text, at);
      const cluster = text.slice(at, end);
      let replaced = known.get(cluster);
      if (replaced === undefined) {
        replaced = replaceCluster(cluster);
        if (cluster.length <= 2 && known.size < 4096) known.set(cluster, replaced);
      }
      parts.push(replaced);
      at = end;
    }
    return parts.join('');
  };
  return { normalize, stableBelow: 0 };
};
