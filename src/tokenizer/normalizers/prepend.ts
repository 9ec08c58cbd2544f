import { toText } from '../file/json.js';
import type { PartParser } from '../file/part.js';
import type { Normalizer } from './normalizer.js';

/** Prepend: puts a text in front; an empty text stays empty. */
export const Prepend: PartParser<Normalizer> = (spec, { where }) => {
  const prefix = toText(spec['prepend'], `${where}.prepend`);
  return { normalize: (text) => (text === '' ? '' : prefix + text), stableBelow: 0 };
};
