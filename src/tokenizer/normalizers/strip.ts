import { isIn, whiteSpace } from '../unicode/code-points.js';
import { readFlag } from '../file/json.js';
import type { PartParser } from '../file/part.js';
import type { Normalizer } from './normalizer.js';

/** Strip: takes Unicode White_Space from the ends (all of it lies in the basic plane, so units do). */
export const Strip: PartParser<Normalizer> = (spec, { where }) => {
  const left = readFlag(spec['strip_left'], `${where}.strip_left`, true);
  const right = readFlag(spec['strip_right'], `${where}.strip_right`, true);
  const normalize = (text: string): string => {
    let start = 0;
    let end = text.length;
    if (left) while (start < end && isIn(whiteSpace, text.charCodeAt(start))) start++;
    if (right) while (end > start && isIn(whiteSpace, text.charCodeAt(end - 1))) end--;
    return text.slice(start, end);
  };
  return { normalize, stableBelow: 0 };
};
