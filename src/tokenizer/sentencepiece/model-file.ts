import { tokenizerInvalid, unsupportedTokenizer } from '../errors.js';
import { MAX_CHARSMAP_BYTES, MAX_TOKENIZER_BYTES, MAX_TOKEN_BYTES, MAX_VOCAB_SIZE } from '../limits.js';
import { readMessageFields, type Field } from './message-reader.js';
import { pieceTypes, type Piece } from './pieces.js';

/** The content of a tokenizer.model, with the defaults of its schema. */
export interface ModelFile {
  readonly kind: 'BPE' | 'Unigram';
  readonly pieces: readonly Piece[];
  readonly byteFallback: boolean;
  readonly unkSurface: string;
  /** Ids of the tokens of the beginning and the end of a text; -1 for none. */
  readonly bosId: number;
  readonly eosId: number;
  readonly addDummyPrefix: boolean;
  readonly removeExtraWhitespaces: boolean;
  readonly charsmap: Uint8Array;
}

/** Name of a message's file, for errors. */
const FILE = 'tokenizer.model';

/** Numbers of fields. Source: google/sentencepiece, sentencepiece_model.proto. */
const inModel = { pieces: 1, trainer: 2, normalizer: 3, denormalizer: 5 } as const;
const inPiece = { content: 1, score: 2, type: 3 } as const;
const inTrainer = {
  kind: 3,
  spaceAsSuffix: 24,
  byteFallback: 35,
  bosId: 41,
  eosId: 42,
  unkSurface: 44,
} as const;
const inNormalizer = { charsmap: 2, addDummyPrefix: 3, removeExtraWhitespaces: 4, escapeWhitespaces: 5 } as const;

const kinds: ReadonlyMap<number, ModelFile['kind']> = new Map([
  [1, 'Unigram'],
  [2, 'BPE'],
]);

/** Reads a tokenizer.model, a protobuf ModelProto. Errors: `tokenizer_invalid`, `unsupported_tokenizer` (words, characters). */
export function readModelFile(file: Uint8Array): ModelFile {
  if (file.length > MAX_TOKENIZER_BYTES) throw tokenizerInvalid(FILE, `has more than ${MAX_TOKENIZER_BYTES} bytes`);
  const pieces: Piece[] = [];
  let trainer: Uint8Array = new Uint8Array(0);
  let normalizer: Uint8Array = new Uint8Array(0);
  for (const field of readMessageFields(file, FILE)) {
    if (field.number === inModel.pieces) {
      if (pieces.length === MAX_VOCAB_SIZE) throw tokenizerInvalid(FILE, `has more than ${MAX_VOCAB_SIZE} pieces`);
      pieces.push(readPiece(bytesOf(field, FILE), `${FILE}: piece ${pieces.length}`));
    } else if (field.number === inModel.trainer) trainer = bytesOf(field, FILE);
    else if (field.number === inModel.normalizer) normalizer = bytesOf(field, FILE);
    else if (field.number === inModel.denormalizer) refuseDenormalizer(bytesOf(field, FILE));
  }
  if (pieces.length === 0) throw tokenizerInvalid(FILE, 'has no pieces');
  return { pieces, ...readTrainer(trainer), ...readNormalizer(normalizer) };
}

function readPiece(message: Uint8Array, where: string): Piece {
  let content = '';
  let score = 0;
  let type: number = pieceTypes.normal;
  for (const field of readMessageFields(message, where)) {
    if (field.number === inPiece.content) content = textOf(field, where);
    else if (field.number === inPiece.score) score = floatOf(field, where);
    else if (field.number === inPiece.type) type = integerOf(field, where);
  }
  if (content === '') throw tokenizerInvalid(where, 'is empty');
  return { content, score, type };
}

function readTrainer(message: Uint8Array): Pick<ModelFile, 'kind' | 'byteFallback' | 'unkSurface' | 'bosId' | 'eosId'> {
  const where = `${FILE}: trainer_spec`;
  let kind = 1;
  let byteFallback = false;
  let unkSurface = ' \u2047 ';
  let bosId = 1;
  let eosId = 2;
  for (const field of readMessageFields(message, where)) {
    if (field.number === inTrainer.kind) kind = integerOf(field, where);
    else if (field.number === inTrainer.byteFallback) byteFallback = integerOf(field, where) !== 0;
    else if (field.number === inTrainer.unkSurface) unkSurface = textOf(field, where);
    else if (field.number === inTrainer.bosId) bosId = integerOf(field, where);
    else if (field.number === inTrainer.eosId) eosId = integerOf(field, where);
    else if (field.number === inTrainer.spaceAsSuffix && integerOf(field, where) !== 0)
      throw unsupportedTokenizer(where, 'treat_whitespace_as_suffix');
  }
  const known = kinds.get(kind);
  if (known === undefined)
    throw unsupportedTokenizer(`${where}.model_type`, `the model type ${kind} (1 is unigram, 2 is BPE)`);
  return { kind: known, byteFallback, unkSurface, bosId, eosId };
}

function readNormalizer(
  message: Uint8Array,
): Pick<ModelFile, 'addDummyPrefix' | 'removeExtraWhitespaces' | 'charsmap'> {
  const where = `${FILE}: normalizer_spec`;
  let addDummyPrefix = true;
  let removeExtraWhitespaces = true;
  let charsmap: Uint8Array = new Uint8Array(0);
  for (const field of readMessageFields(message, where)) {
    if (field.number === inNormalizer.charsmap) charsmap = bytesOf(field, where);
    else if (field.number === inNormalizer.addDummyPrefix) addDummyPrefix = integerOf(field, where) !== 0;
    else if (field.number === inNormalizer.removeExtraWhitespaces)
      removeExtraWhitespaces = integerOf(field, where) !== 0;
    else if (field.number === inNormalizer.escapeWhitespaces && integerOf(field, where) === 0)
      throw unsupportedTokenizer(where, 'escape_whitespaces = false');
  }
  if (charsmap.length > MAX_CHARSMAP_BYTES)
    throw tokenizerInvalid(`${where}.precompiled_charsmap`, `has more than ${MAX_CHARSMAP_BYTES} bytes`);
  return { addDummyPrefix, removeExtraWhitespaces, charsmap };
}

/** Rules for rewriting decoded text are not supported; published models have none. */
function refuseDenormalizer(message: Uint8Array): void {
  const where = `${FILE}: denormalizer_spec`;
  for (const field of readMessageFields(message, where)) {
    if (field.number === inNormalizer.charsmap && bytesOf(field, where).length > 0)
      throw unsupportedTokenizer(where, 'a denormalizer');
  }
}

function bytesOf(field: Field, where: string): Uint8Array {
  if (field.kind !== 'bytes')
    throw tokenizerInvalid(where, `has a field ${field.number} that is ${field.kind}, not bytes`);
  return field.value;
}

function textOf(field: Field, where: string): string {
  const bytes = bytesOf(field, where);
  if (bytes.length > MAX_TOKEN_BYTES)
    throw tokenizerInvalid(where, `a text has ${bytes.length} bytes, the limit is ${MAX_TOKEN_BYTES}`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw tokenizerInvalid(where, 'a text is no UTF-8');
  }
}

function integerOf(field: Field, where: string): number {
  if (field.kind !== 'integer')
    throw tokenizerInvalid(where, `has a field ${field.number} that is ${field.kind}, not a number`);
  return field.value;
}

function floatOf(field: Field, where: string): number {
  if (field.kind !== 'float')
    throw tokenizerInvalid(where, `has a field ${field.number} that is ${field.kind}, not a float`);
  return field.value;
}
