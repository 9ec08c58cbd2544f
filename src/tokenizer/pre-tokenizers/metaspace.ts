import { toMetaspace } from '../decoders/parts.js';
import { readFlag } from '../file/json.js';
import type { PartParser } from '../file/part.js';
import type { Pieces, PreTokenizer } from './pre-tokenizer.js';

const SPACE = 0x20;

/**
 * Metaspace: spaces become ▁, the scheme decides whether one is put in front, and unless `split` is false words begin
 * at each.
 */
export const Metaspace: PartParser<PreTokenizer> = (spec, { where }) => {
  const { replacement, scheme } = toMetaspace(spec, where);
  const mark = replacement.charCodeAt(0);
  const splits = readFlag(spec['split'], `${where}.split`, true);
  const split = ({ units, bounds, begins }: Pieces): Pieces => {
    const marked = new Uint16Array(units.length + bounds.length / 2);
    const moved: number[] = [];
    let at = 0;
    for (let i = 0; i < bounds.length; i += 2) {
      const start = bounds[i] as number;
      const end = bounds[i + 1] as number;
      let from = at;
      const hasMark = units[start] === mark || units[start] === SPACE;
      if (!hasMark && (scheme === 'always' || (scheme === 'first' && begins && i === 0))) marked[at++] = mark;
      for (let k = start; k < end; k++) {
        const unit = units[k] === SPACE ? mark : (units[k] as number);
        if (splits && unit === mark && at > from) {
          moved.push(from, at);
          from = at;
        }
        marked[at++] = unit;
      }
      moved.push(from, at);
    }
    return { units: marked, bounds: moved, begins };
  };
  return { split, toBytes: false };
};
