import { createByteAlphabet, type ByteAlphabet } from './byte-alphabet.js';
import { normalizedContent, parseAddedTokens, toAddedTokenSpecs, type AddedToken } from './added-tokens.js';
import { writeSections } from './binary.js';
import { checkText } from './check-arguments.js';
import { createCategoryLookup } from './unicode/code-points.js';
import { checkDecoder } from './decoders/index.js';
import { invalid } from './errors.js';
import { parseJsonObject, toObject, toText } from './json.js';
import { MAX_FILE_BYTES } from './limits.js';
import { modelOf } from './models/index.js';
import { parseNormalizer } from './normalizers/index.js';
import { parsePostProcessor } from './post-processors/index.js';
import { parsePreTokenizer } from './pre-tokenizers/index.js';
import { toTokenBytes, writeVocabulary, type TokenEntry } from './vocabulary.js';

/**
 * tokenizer.json as tokenizer.bin, the form that opens in a few milliseconds. `truncation` and `padding` are not taken
 * over: an engine neither cuts nor pads on its own. Errors: `tokenizer_invalid`, `unsupported_tokenizer`, `invalid_value`.
 */
export function compileTokenizer(tokenizerJson: string): Uint8Array {
  checkText('tokenizerJson', tokenizerJson);
  if (tokenizerJson.length > MAX_FILE_BYTES)
    throw invalid('tokenizer.json', `has more than ${MAX_FILE_BYTES} characters`);
  const file = parseJsonObject(tokenizerJson, 'tokenizer.json');
  const modelSpec = toObject(file['model'], 'model');
  const modelType = modelSpec['type'] === undefined ? guessModel(modelSpec) : toText(modelSpec['type'], 'model.type');
  const kind = modelOf(modelType);

  const categoryOf = createCategoryLookup();
  const normalizer = parseNormalizer(file['normalizer'], categoryOf);
  parsePreTokenizer(file['pre_tokenizer'], categoryOf); // refuse here what opening would refuse
  checkDecoder(file['decoder']);
  const frame = parsePostProcessor(file['post_processor'], categoryOf);

  const alphabet = createByteAlphabet();
  const model = kind.compile(modelSpec, alphabet);
  const added = placeAddedTokens(parseAddedTokens(file['added_tokens'], 'added_tokens'), model.vocabulary);
  const tokens = toEntries(model.vocabulary, added, (token) => normalizedContent(token, normalizer), alphabet);
  const irregular = [...model.vocabulary].filter(([content]) => alphabet.bytesOf(content)?.regular === false);
  const settings = {
    modelType,
    model: model.settings,
    normalizer: file['normalizer'] ?? null,
    preTokenizer: file['pre_tokenizer'],
    frame,
    added: toAddedTokenSpecs(added),
    irregular,
  };
  return writeSections({
    settings: new TextEncoder().encode(JSON.stringify(settings)),
    ...writeVocabulary(tokens),
    ...model.sections,
  });
}

/** Old files do not name their model: one with merges is BPE. */
function guessModel(spec: object): string {
  return 'merges' in spec ? 'BPE' : 'without a type';
}

/** An added token that the vocabulary has too keeps the vocabulary's id; no two tokens may share one. */
function placeAddedTokens(added: readonly AddedToken[], vocabulary: ReadonlyMap<string, number>): AddedToken[] {
  const contentOf = new Map([...vocabulary].map(([content, id]) => [id, content]));
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
  vocabulary: ReadonlyMap<string, number>,
  added: readonly AddedToken[],
  contentOf: (token: AddedToken) => string,
  alphabet: ByteAlphabet,
): TokenEntry[] {
  const entries = new Map<number, TokenEntry>();
  for (const [content, id] of vocabulary) entries.set(id, { id, ...toTokenBytes(content, alphabet, 'model.vocab') });
  for (const token of added) {
    const content = contentOf(token);
    const regular = vocabulary.get(content) === token.id;
    entries.set(token.id, {
      id: token.id,
      ...toTokenBytes(content, alphabet, 'added_tokens'),
      ...(!regular && { regular }),
    });
  }
  return [...entries.values()];
}
