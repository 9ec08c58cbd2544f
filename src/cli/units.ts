// Numbers for people.
import { counted } from '../words/index.js';

/** Bytes in the largest unit that leaves a whole part: `831 B`, `4.2 MiB`, `14.5 GiB`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1023.95 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** Units of time with their seconds, the longest first; months and years as calendars have them on average. */
const ages = [
  ['year', 31_556_952],
  ['month', 2_629_746],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** The age of something, in its largest unit: `3 days ago`. */
export function agoText(ms: number): string {
  const text = spanText(ms);
  return text === undefined ? 'just now' : `${text} ago`;
}

/** A span of time in its largest unit: `3 days`; undefined for less than a minute. */
export function spanText(ms: number): string | undefined {
  for (const [name, seconds] of ages) {
    const count = Math.floor(ms / 1000 / seconds);
    if (count >= 1) return counted(count, name);
  }
  return undefined;
}
