import { type JsonObject } from '../../base/index.js';
import { normalizedContent, parseAddedTokens, toAddedTokenSpecs, type AddedToken } from '../tokens/added-tokens.js';
import { writeSections } from './binary.js';
import { checkText } from './check-arguments.js';
import { createCategoryLookup } from '../unicode/code-points.js';
import { byteIn, parseDecoder, toDecoderSettings, type Decoder } from '../decoders/index.js';
import { tokenizerInvalid, unsupportedTokenizer } from '../errors.js';
import { parseJsonObject, toObject, toText } from './json.js';
import { MAX_TOKENIZER_BYTES } from '../limits.js';
import { modelOf, type CompiledModel } from '../models/index.js';
import { parseNormalizer } from '../normalizers/index.js';
import { parsePostProcessor } from '../post-processors/index.js';
import { parsePreTokenizer } from '../pre-tokenizers/index.js';
import type { TokenContents } from '../tokens/token-contents.js';
import { createByteNotation, createTextNotation } from '../tokens/token-notation.js';
import { toTokenTables } from '../tokens/token-tables.js';
import { writeVocabulary } from '../tokens/vocabulary.js';

/**
 * tokenizer.json as tokenizer.bin, the form that opens in a few milliseconds. `truncation` and `padding` are not taken
 * over: an engine neither cuts nor pads on its own. Errors: `tokenizer_invalid`, `unsupported_tokenizer`, `invalid_value`.
 */
export function compileTokenizer(tokenizerJson: string): Uint8Array {
  checkText('tokenizerJson', tokenizerJson);
  if (tokenizerJson.length > MAX_TOKENIZER_BYTES)
    throw tokenizerInvalid('tokenizer.json', `has more than ${MAX_TOKENIZER_BYTES} characters`);
  return compileSpec(parseJsonObject(tokenizerJson, 'tokenizer.json'));
}

/**
 * The same of an object like that in tokenizer.json, which may have parts that only this package writes: pieces of
 * sentencepiece, or a vocabulary and merges as joined texts.
 */
export function compileSpec(file: JsonObject): Uint8Array {
  const modelSpec = toObject(file['model'], 'model');
  const modelType = modelSpec['type'] === undefined ? guessModel(modelSpec) : toText(modelSpec['type'], 'model.type');
  const kind = modelOf(modelType);

  const categoryOf = createCategoryLookup();
  const normalizer = parseNormalizer(file['normalizer'], categoryOf);
  const isBytes = parsePreTokenizer(file['pre_tokenizer'], categoryOf).toBytes;
  const decoder = parseDecoder(file['decoder'], categoryOf);
  if ((decoder.bytes === 'joined') !== isBytes)
    throw unsupportedTokenizer('decoder', 'ByteLevel on one side and text on the other');
  const frame = parsePostProcessor(file['post_processor'], categoryOf);

  const notation = isBytes ? createByteNotation() : createTextNotation();
  const model = kind.compile(modelSpec, notation);
  const { vocabulary } = model;
  const added = placeAddedTokens(parseAddedTokens(file['added_tokens'], 'added_tokens'), vocabulary);
  const contentOf = (token: AddedToken): string => normalizedContent(token, normalizer);
  const tables = toTokenTables({ model, added, contentOf, notation, decoder });
  const settings = {
    modelType,
    model: model.settings,
    normalizer: file['normalizer'] ?? null,
    preTokenizer: file['pre_tokenizer'] ?? null,
    frame,
    added: toAddedTokenSpecs(added),
    irregular: irregularOf(vocabulary, tables.regular),
    ...(isBytes ? {} : { decoder: toDecoderSettings(decoder, toByteTokens(model, added, contentOf, decoder)) }),
  };
  return writeSections({
    settings: new TextEncoder().encode(JSON.stringify(settings)),
    ...writeVocabulary(tables),
    ...model.sections,
  });
}

/** Old files do not name their model: one with merges is BPE, one with a list of tokens Unigram. */
function guessModel(spec: JsonObject): string {
  return 'merges' in spec ? 'BPE' : Array.isArray(spec['vocab']) ? 'Unigram' : 'without a type';
}

/** An added token that the vocabulary has too keeps the vocabulary's id; no two tokens may share one. */
function placeAddedTokens(added: readonly AddedToken[], vocabulary: TokenContents): AddedToken[] {
  const contents = new Map<number, string>();
  const placed = new Map<string, AddedToken>();
  for (const token of added) {
    const known = vocabulary.idOf(token.content);
    const id = known ?? token.id;
    const owner = contents.get(id) ?? (known === undefined ? vocabulary.contentOf(id) : token.content) ?? token.content;
    if (owner !== token.content) {
      throw tokenizerInvalid('added_tokens', `the id ${id} is that of ${JSON.stringify(owner.slice(0, 40))} as well`);
    }
    contents.set(id, token.content);
    placed.set(token.content, { ...token, id });
  }
  return [...placed.values()];
}

/** The ids of all tokens that are one byte each. */
function toByteTokens(
  { vocabulary, byteOf }: CompiledModel,
  added: readonly AddedToken[],
  contentOf: (token: AddedToken) => string,
  decoder: Decoder,
): number[] {
  const { bytes, starts, ends, ids } = vocabulary;
  const isByte = new Uint8Array(vocabulary.idLimit);
  if (decoder.readsBytes)
    for (const id of ids) if (byteIn(bytes, starts[id] as number, ends[id] as number) >= 0) isByte[id] = 1;
  const others: number[] = [];
  for (const token of added) {
    const isOne = decoder.byteOf(contentOf(token)) >= 0;
    if (vocabulary.has(token.id)) isByte[token.id] = isOne ? 1 : 0;
    else if (isOne || byteOf?.has(token.id)) others.push(token.id);
  }
  for (const id of byteOf?.keys() ?? []) isByte[id] = 1;
  return [...ids.filter((id) => isByte[id] === 1), ...others];
}

/** Tokens that are not found by their bytes. */
function irregularOf(vocabulary: TokenContents, regular: Uint8Array): [string, number][] {
  const ids = vocabulary.ids.filter((id) => regular[id] === 0);
  return [...ids].map((id) => [vocabulary.contentOf(id) ?? '', id]);
}
