import { toIndex, toList } from '../file/json.js';
import { MAX_VOCAB_SIZE } from '../limits.js';
import type { PartParser } from '../file/part.js';
import type { Frame } from './frame.js';

/**
 * BertProcessing: `cls` before and `sep` after, each as [token, id]. RobertaProcessing is the same here: it differs
 * only in offsets.
 */
export const BertProcessing: PartParser<Frame> = (spec, { where }) => {
  const idOf = (key: string): number =>
    toIndex(toList(spec[key], `${where}.${key}`, 2)[1], `${where}.${key}[1]`, MAX_VOCAB_SIZE);
  return { before: [idOf('cls')], after: [idOf('sep')] };
};
