import { createSlabEncoder } from '../base/index.js';
import { normalizedContent, parseAddedTokens, toAddedTokenSpecs, type AddedToken } from './added-tokens.js';
import { writeSections } from './binary.js';
import { checkText } from './check-arguments.js';
import { createCategoryLookup } from './unicode/code-points.js';
import { parseDecoder, toDecoderSettings, type Decoder } from './decoders/index.js';
import { invalid, unsupported } from './errors.js';
import { parseJsonObject, toObject, toText, type JsonObject } from './json.js';
import { MAX_FILE_BYTES, MAX_TOKEN_BYTES } from './limits.js';
import { modelOf, type CompiledModel } from './models/index.js';
import { parseNormalizer } from './normalizers/index.js';
import { parsePostProcessor } from './post-processors/index.js';
import { parsePreTokenizer } from './pre-tokenizers/index.js';
import { createByteNotation, createTextNotation, toTokenBytes, type TokenNotation } from './token-notation.js';
import { writeVocabulary, type TokenEntry } from './vocabulary.js';

/**
 * tokenizer.json as tokenizer.bin, the form that opens in a few milliseconds. `truncation` and `padding` are not taken
 * over: an engine neither cuts nor pads on its own. Errors: `tokenizer_invalid`, `unsupported_tokenizer`, `invalid_value`.
 */
export function compileTokenizer(tokenizerJson: string): Uint8Array {
  checkText('tokenizerJson', tokenizerJson);
  if (tokenizerJson.length > MAX_FILE_BYTES)
    throw invalid('tokenizer.json', `has more than ${MAX_FILE_BYTES} characters`);
  return compileSpec(parseJsonObject(tokenizerJson, 'tokenizer.json'));
}

/**
 * The same of an object like that in tokenizer.json, which may have parts that only this package writes: pieces of
 * sentencepiece, or a vocabulary as a map.
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
    throw unsupported('decoder', 'ByteLevel on one side and text on the other');
  const frame = parsePostProcessor(file['post_processor'], categoryOf);

  const notation = isBytes ? createByteNotation() : createTextNotation();
  const model = kind.compile(modelSpec, notation);
  const added = placeAddedTokens(parseAddedTokens(file['added_tokens'], 'added_tokens'), model.vocabulary);
  const contentOf = (token: AddedToken): string => normalizedContent(token, normalizer);
  const tokens = toEntries(model, added, contentOf, notation, decoder);
  const regular = new Set<number>();
  for (const { id, regular: isRegular } of tokens) if (isRegular) regular.add(id);
  const settings = {
    modelType,
    model: model.settings,
    normalizer: file['normalizer'] ?? null,
    preTokenizer: file['pre_tokenizer'] ?? null,
    frame,
    added: toAddedTokenSpecs(added),
    irregular: irregularOf(model.vocabulary, regular),
    ...(isBytes ? {} : { decoder: toDecoderSettings(decoder, toByteTokens(model, added, contentOf, decoder)) }),
  };
  return writeSections({
    settings: new TextEncoder().encode(JSON.stringify(settings)),
    ...writeVocabulary(tokens),
    ...model.sections,
  });
}

/** Old files do not name their model: one with merges is BPE, one with a list of tokens Unigram. */
function guessModel(spec: JsonObject): string {
  return 'merges' in spec ? 'BPE' : Array.isArray(spec['vocab']) ? 'Unigram' : 'without a type';
}

/** An added token that the vocabulary has too keeps the vocabulary's id; no two tokens may share one. */
function placeAddedTokens(added: readonly AddedToken[], vocabulary: ReadonlyMap<string, number>): AddedToken[] {
  const contentOf = byId(vocabulary);
  const placed = new Map<string, AddedToken>();
  for (const token of added) {
    const id = vocabulary.get(token.content) ?? token.id;
    const owner = contentOf.get(id) ?? token.content;
    if (owner !== token.content) {
      throw invalid('added_tokens', `the id ${id} is that of ${JSON.stringify(owner.slice(0, 40))} as well`);
    }
    contentOf.set(id, token.content);
    placed.set(token.content, { ...token, id });
  }
  return [...placed.values()];
}

/** The bytes of all ids. An added token decodes to its content as it is sought, normalised or not. */
function toEntries(
  model: CompiledModel,
  added: readonly AddedToken[],
  contentOf: (token: AddedToken) => string,
  notation: TokenNotation,
  decoder: Decoder,
): TokenEntry[] {
  const { vocabulary, hidden } = model;
  const entries = new Map<number, TokenEntry>();
  const texts = notation.isBytes ? undefined : createTexts(model, decoder);
  const add = (id: number, content: string, isSought: boolean, where: string): void => {
    const { bytes, regular } = toTokenBytes(content, notation, where);
    const text = texts?.(id, content);
    if (text !== undefined && text.length > MAX_TOKEN_BYTES)
      throw invalid(where, `a token decodes to more than ${MAX_TOKEN_BYTES} bytes`);
    entries.set(id, { id, bytes, regular: regular && isSought && hidden?.has(id) !== true, ...(text && { text }) });
  };
  for (const [content, id] of vocabulary) add(id, content, true, 'model.vocab');
  for (const token of added) {
    const content = contentOf(token);
    add(token.id, content, vocabulary.get(content) === token.id, 'added_tokens');
  }
  return [...entries.values()];
}

/** What a token of text decodes to. */
function createTexts({ texts, byteOf }: CompiledModel, decoder: Decoder): (id: number, content: string) => Uint8Array {
  const encode = createSlabEncoder();
  return (id, content) => {
    const byte = byteOf?.get(id) ?? decoder.byteOf(content);
    return byte >= 0 ? Uint8Array.of(byte) : encode(texts?.get(id) ?? decoder.textOf(content));
  };
}

/** The ids of all tokens that are one byte each. */
function toByteTokens(
  { vocabulary, byteOf }: CompiledModel,
  added: readonly AddedToken[],
  contentOf: (token: AddedToken) => string,
  decoder: Decoder,
): number[] {
  const contents = byId(vocabulary);
  for (const token of added) contents.set(token.id, contentOf(token));
  const ids: number[] = [];
  for (const [id, content] of contents) if (byteOf?.has(id) || decoder.byteOf(content) >= 0) ids.push(id);
  return ids;
}

// A vocabulary has up to a million tokens: what follows makes no array of its entries, which would take 100 bytes each.

function byId(vocabulary: ReadonlyMap<string, number>): Map<number, string> {
  const contents = new Map<number, string>();
  for (const [content, id] of vocabulary) contents.set(id, content);
  return contents;
}

/** Tokens that are not found by their bytes. */
function irregularOf(vocabulary: ReadonlyMap<string, number>, regular: ReadonlySet<number>): [string, number][] {
  const others: [string, number][] = [];
  for (const [content, id] of vocabulary) if (!regular.has(id)) others.push([content, id]);
  return others;
}
