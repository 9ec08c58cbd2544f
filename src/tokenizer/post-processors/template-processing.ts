import { tokenizerInvalid, unsupportedTokenizer } from '../errors.js';
import { toIndex, toList, toObject, toText } from '../file/json.js';
import { MAX_TEMPLATE_IDS, MAX_VOCAB_SIZE } from '../limits.js';
import type { PartParser } from '../file/part.js';
import type { Frame } from './frame.js';

/** TemplateProcessing: `single` lists special tokens around one `Sequence`; `pair` is not read, texts come alone. */
export const TemplateProcessing: PartParser<Frame> = (spec, { where }) => {
  const before: number[] = [];
  const after: number[] = [];
  let texts = 0;
  const special = toObject(spec['special_tokens'], `${where}.special_tokens`);
  toList(spec['single'], `${where}.single`, MAX_TEMPLATE_IDS).forEach((each, i) => {
    const place = `${where}.single[${i}]`;
    const piece = toObject(each, place);
    if (piece['Sequence'] !== undefined) {
      texts++;
      return;
    }
    const name = toText(toObject(piece['SpecialToken'], `${place}.SpecialToken`)['id'], `${place}.SpecialToken.id`);
    if (!Object.hasOwn(special, name))
      throw tokenizerInvalid(place, `${JSON.stringify(name.slice(0, 40))} is not in special_tokens`);
    const ids = toList(toObject(special[name], `${where}.special_tokens`)['ids'], `${place}: ids`, MAX_TEMPLATE_IDS);
    for (const id of ids) (texts === 0 ? before : after).push(toIndex(id, `${place}: an id`, MAX_VOCAB_SIZE));
  });
  if (texts !== 1) throw unsupportedTokenizer(where, `a template with ${texts} places for the text`);
  return { before, after };
};
