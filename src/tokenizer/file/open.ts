import { invalidValue, type JoinedTexts, type JsonObject } from '../../base/index.js';
import { createCutter, normalizedContent, parseAddedTokens, type AddedToken } from '../tokens/added-tokens.js';
import { readSections, type SectionReader } from './binary.js';
import { withCheckedArguments } from './check-arguments.js';
import { createCategoryLookup } from '../unicode/code-points.js';
import { joinTokens, readDecoding } from '../decoders/index.js';
import { createDetokenizer } from '../detokenizer.js';
import { parseJsonObject, toIndex, toList, toObject, toText } from './json.js';
import { MAX_TEMPLATE_IDS, MAX_VOCAB_SIZE } from '../limits.js';
import { modelOf } from '../models/index.js';
import { parseNormalizer } from '../normalizers/index.js';
import { createPipeline } from '../pipeline.js';
import { createOwnFinder } from '../text/plain-text.js';
import { parsePreTokenizer } from '../pre-tokenizers/index.js';
import { createByteNotation, createTextNotation } from '../tokens/token-notation.js';
import type { Tokenizer } from '../tokenizer-api.js';
import { readVocabulary, type TokenVocabulary } from '../tokens/vocabulary.js';

/**
 * A tokenizer over the bytes of a tokenizer.bin; they are kept and must not change. Any thread may open the same bytes.
 * `chooseControls` returns further control tokens, besides those that it marks special: `plain` makes these text.
 * `idLimit`: ids below it may be decoded beside its own, since a padded model gives ids without a token. Errors:
 * `tokenizer_invalid` for bytes that `compileTokenizer` did not write; `invalid_value`.
 */
export function openTokenizer(
  bytes: Uint8Array,
  chooseControls: (tokenizer: Tokenizer) => readonly string[] = () => [],
  idLimit = 0,
): Tokenizer {
  if (!ArrayBuffer.isView(bytes)) throw invalidValue('bytes', bytes, 'the bytes of a tokenizer.bin');
  const tokenizer = readTokenizer(bytes, chooseControls);
  return withCheckedArguments(tokenizer, Math.max(idLimit, tokenizer.vocabSize));
}

/** The tokens of a tokenizer, without what turns text into them. */
export interface TokenNames extends Pick<Tokenizer, 'vocabSize' | 'tokenToId' | 'addedTokens'> {
  /** The decoded texts, by id, as views of the tokenizer's bytes. */
  readonly texts: JoinedTexts;
}

/** The tokens of a tokenizer.bin that this process has just compiled: its tables are not checked. */
export function openTokenNames(bytes: Uint8Array): TokenNames {
  const { settings, added, vocabulary } = readTokens(bytes, true);
  const decoder = settings['decoder'];
  return {
    vocabSize: vocabulary.size,
    tokenToId: createTokenLookup(added, settings['irregular'], vocabulary, decoder === undefined),
    addedTokens: added.map(({ content, special }) => ({ content, special })),
    texts: { bytes: vocabulary.bytes, offsets: vocabulary.offsets },
  };
}

/** The parts of every tokenizer.bin, for any model. */
interface TokenFile {
  readonly sections: SectionReader;
  readonly settings: JsonObject;
  readonly vocabulary: TokenVocabulary;
  readonly added: readonly AddedToken[];
}

function readTokens(bytes: Uint8Array, isOwn = false): TokenFile {
  const sections = readSections(bytes, isOwn);
  const vocabulary = readVocabulary(sections, isOwn);
  const settings = parseJsonObject(new TextDecoder().decode(sections.bytes('settings').slice()), 'settings');
  const added = parseAddedTokens(settings['added'], 'settings.added');
  for (const token of added) toIndex(token.id, 'settings.added: an id', vocabulary.size);
  return { sections, settings, vocabulary, added };
}

function readTokenizer(bytes: Uint8Array, chooseControls: (tokenizer: Tokenizer) => readonly string[]): Tokenizer {
  const { sections, settings, vocabulary, added } = readTokens(bytes);
  const categoryOf = createCategoryLookup();
  const normalizer = parseNormalizer(settings['normalizer'], categoryOf);
  const kind = modelOf(toText(settings['modelType'], 'settings.modelType'));
  const contentOf = (token: AddedToken): string => normalizedContent(token, normalizer);
  // Filled when the tokenizer is there to be asked.
  const controlIds = new Set(added.filter(({ special }) => special).map(({ id }) => id));
  const isControl = ({ id }: AddedToken): boolean => controlIds.has(id);
  const ofRaw = added.filter((token) => !token.normalized);
  const ofNormalized = added.filter((token) => token.normalized);
  const appendIds = createPipeline({
    rawCutter: createCutter(ofRaw, contentOf, isControl, categoryOf),
    normalizer,
    normalizedCutter: createCutter(ofNormalized, contentOf, isControl, categoryOf),
    findOwn: normalizer && createOwnFinder(ofNormalized, isControl, normalizer, categoryOf),
    preTokenizer: parsePreTokenizer(settings['preTokenizer'], categoryOf),
    model: kind.open(sections, toObject(settings['model'], 'settings.model'), vocabulary, controlIds),
  });

  const frame = toObject(settings['frame'], 'settings.frame');
  const idsOf = (key: string): number[] =>
    toList(frame[key], `settings.frame.${key}`, MAX_TEMPLATE_IDS * 32).map((id) =>
      toIndex(id, 'settings.frame', MAX_VOCAB_SIZE),
    );
  const before = idsOf('before');
  const after = idsOf('after');
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const toPlainText = (utf8: Uint8Array): string => decoder.decode(utf8);
  const specialIds = toSpecialIds(added, contentOf);
  const decoding = readDecoding(settings['decoder'], vocabulary, specialIds);
  const specialOf = contentsAsDecoded(added, contentOf, vocabulary);
  const tokenToId = createTokenLookup(added, settings['irregular'], vocabulary, decoding.bytes === 'joined');

  const tokenizer: Tokenizer = {
    vocabSize: vocabulary.size,
    encode(text, { addSpecialTokens, plain } = {}) {
      const ids = addSpecialTokens === false ? [] : [...before];
      appendIds(text, ids, plain ?? undefined);
      if (addSpecialTokens !== false) ids.push(...after);
      return ids;
    },
    decode(ids, { skipSpecialTokens } = {}) {
      return toPlainText(joinTokens(ids, vocabulary, decoding, skipSpecialTokens === true ? specialIds : undefined));
    },
    tokenBytes(id) {
      const start = vocabulary.offsets[id];
      const end = vocabulary.offsets[id + 1];
      return start === undefined || end === undefined ? new Uint8Array(0) : vocabulary.bytes.slice(start, end);
    },
    createDetokenizer: (options = {}) => createDetokenizer(vocabulary, decoding, specialOf, toPlainText, options),
    tokenToId,
    addedTokens: added.map(({ content, special }) => ({ content, special })),
  };
  const chosen = new Set(chooseControls(tokenizer));
  for (const { id, content } of added) if (chosen.has(content)) controlIds.add(id);
  return tokenizer;
}

/**
 * The ids that `skipSpecialTokens` leaves out: added tokens that decode to the content of a special one. So a special
 * token that normalising changes stays, as in the reference.
 */
function toSpecialIds(added: readonly AddedToken[], contentOf: (token: AddedToken) => string): Set<number> {
  const contents = new Set(added.filter((token) => token.special).map((token) => token.content));
  return new Set(added.filter((token) => contents.has(contentOf(token))).map((token) => token.id));
}

/** The added tokens whose bytes are their content in UTF-8. */
function contentsAsDecoded(
  added: readonly AddedToken[],
  contentOf: (token: AddedToken) => string,
  { offsets, bytes }: TokenVocabulary,
): Map<number, string> {
  const encoder = new TextEncoder();
  const contents = new Map<number, string>();
  for (const token of added) {
    const { id } = token;
    const content = contentOf(token);
    const start = offsets[id] as number;
    const utf8 = encoder.encode(content);
    const same =
      (offsets[id + 1] as number) - start === utf8.length && utf8.every((byte, i) => byte === bytes[start + i]);
    if (same) contents.set(id, content);
  }
  return contents;
}

/** Finds tokens as the vocabulary writes them: added ones, those that no text has, and the rest by their bytes. */
function createTokenLookup(
  added: readonly AddedToken[],
  irregular: unknown,
  vocabulary: TokenVocabulary,
  isBytes: boolean,
): (content: string) => number | undefined {
  const notation = isBytes ? createByteNotation() : createTextNotation();
  const ids = new Map<string, number>();
  for (const each of toList(irregular, 'settings.irregular', MAX_VOCAB_SIZE)) {
    const [content, id] = toList(each, 'settings.irregular', 2);
    ids.set(toText(content, 'settings.irregular'), toIndex(id, 'settings.irregular', vocabulary.size));
  }
  for (const { content, id } of added) ids.set(content, id);
  return (content) => {
    const known = ids.get(content);
    if (known !== undefined) return known;
    const found = notation.bytesOf(content);
    if (found === undefined || !found.regular) return undefined;
    const id = vocabulary.find(found.bytes, found.bytes.length);
    return id < 0 ? undefined : id;
  };
}
