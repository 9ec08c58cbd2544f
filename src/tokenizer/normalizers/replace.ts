import { toText } from '../file/json.js';
import { toPattern, type PartParser } from '../file/part.js';
import { Regex } from '../regex/regex.js';
import { copyUnits } from '../text/units.js';
import type { Normalizer } from './normalizer.js';

/** Replace: each match of a pattern becomes `content`. */
export const Replace: PartParser<Normalizer> = (spec, { categoryOf, where }) => {
  const regex = new Regex(toPattern(spec['pattern'], `${where}.pattern`), categoryOf, `${where}.pattern`);
  const content = toText(spec['content'], `${where}.content`);
  const normalize = (text: string): string => {
    const units = new Uint16Array(text.length);
    copyUnits(text, units);
    const parts: string[] = [];
    let kept = 0;
    for (let at = 0; at < text.length;) {
      const end = regex.matchEnd(units, at, text.length);
      if (end < 0) {
        at++;
        continue;
      }
      parts.push(text.slice(kept, at), content);
      at = kept = end;
    }
    parts.push(text.slice(kept));
    return parts.join('');
  };
  return { normalize, stableBelow: 0 };
};
