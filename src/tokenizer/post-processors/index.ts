import type { CategoryLookup } from '../unicode/code-points.js';
import { parsePart, parseParts, type PartParser } from '../file/part.js';
import type { Frame } from './frame.js';
import { BertProcessing } from './bert-processing.js';
import { TemplateProcessing } from './template-processing.js';

export type { Frame } from './frame.js';

/** ByteLevel: only moves offsets, which are not kept here. */
const ByteLevel: PartParser<Frame> = () => ({ before: [], after: [] });

/** Sequence: each frame surrounds the one before it. */
const Sequence: PartParser<Frame> = (spec, context) =>
  parseParts(postProcessors, spec, 'processors', context).reduce<Frame>(
    (inner, outer) => ({ before: [...outer.before, ...inner.before], after: [...inner.after, ...outer.after] }),
    { before: [], after: [] },
  );

/** The post-processors by their `type` in tokenizer.json. */
export const postProcessors: Readonly<Record<string, PartParser<Frame>>> = {
  TemplateProcessing,
  RobertaProcessing: BertProcessing,
  BertProcessing,
  ByteLevel,
  Sequence,
};

/** Reads `post_processor` of tokenizer.json; null adds nothing. */
export function parsePostProcessor(spec: unknown, categoryOf: CategoryLookup): Frame {
  if (spec === null || spec === undefined) return { before: [], after: [] };
  return parsePart(postProcessors, spec, { categoryOf, where: 'post_processor', depth: 0 });
}
