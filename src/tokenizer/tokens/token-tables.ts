import { createSlabEncoder, TextJoiner } from '../../base/index.js';
import type { AddedToken } from './added-tokens.js';
import { byteIn, type Decoder } from '../decoders/index.js';
import { tokenizerInvalid } from '../errors.js';
import { MAX_TOKEN_BYTES } from '../limits.js';
import type { CompiledModel } from '../models/index.js';
import { addReplaced, replaceBytes } from '../text/replace-bytes.js';
import { toTokenBytes, type TokenNotation } from './token-notation.js';
import type { TokenTables } from './vocabulary.js';

/** Space for an added token; most are shorter. */
const ADDED_BYTES = 32;

/** The parts of a file's tables. */
export interface TokenParts {
  readonly model: CompiledModel;
  readonly added: readonly AddedToken[];
  /** The text by which an added token is searched, and to which it decodes: normalised or not. */
  readonly contentOf: (token: AddedToken) => string;
  readonly notation: TokenNotation;
  readonly decoder: Decoder;
}

/** The bytes of all ids. Errors: `tokenizer_invalid`. */
export function toTokenTables(parts: TokenParts): TokenTables {
  const { model, added, contentOf, notation, decoder } = parts;
  const { vocabulary, hidden = new Set<number>() } = model;
  const addedBy = new Map(added.map((token) => [token.id, token]));
  const limit = added.reduce((most, { id }) => Math.max(most, id + 1), vocabulary.idLimit);
  const room = vocabulary.bytes.length + ADDED_BYTES * added.length;
  const keys = new TextJoiner(limit, room);
  const texts = notation.isBytes ? undefined : new TextJoiner(limit, room);
  const toText = createTexts(model, decoder);
  const addText = createTextAdder(model, decoder, toText);
  const regular = new Uint8Array(limit);
  let count = 0;
  /** Added tokens are few: they may go by way of strings. */
  const addAdded = (id: number, token: AddedToken): void => {
    const content = contentOf(token);
    const found = toTokenBytes(content, notation, 'added_tokens');
    keys.add(found.bytes, 0, found.bytes.length);
    // One that the vocabulary has too has its id.
    const isFound = content === token.content ? vocabulary.has(id) : vocabulary.idOf(content) === id;
    if (found.regular && isFound) regular[id] = 1;
    if (texts !== undefined) addChecked(texts, toText(id, content), 'added_tokens');
  };
  const isAdded = flagsOf(addedBy.keys(), limit);
  const addRun = createRunAdder(parts, isAdded, keys, texts);
  for (let id = 0; id < limit; id++) {
    const end = addRun(id);
    if (end > id) {
      regular.fill(1, id, end);
      count += end - id;
      id = end - 1;
    } else if (isAdded[id] === 1) addAdded(id, addedBy.get(id) as AddedToken);
    else if (vocabulary.has(id)) {
      if (addKey(keys, parts, id)) regular[id] = 1;
      if (texts !== undefined) addText(texts, id);
    } else {
      keys.close(0);
      texts?.close(0);
      continue;
    }
    count++;
  }
  for (const id of hidden) regular[id] = 0;
  return { keys: keys.join(), texts: texts?.join(), regular, count };
}

/**
 * Adds tokens of text from `id` on, up to an added one or the first that does not decode by replacing one text at most.
 * Returns where it ended; adds nothing where ids are not in the vocabulary. Each token by itself takes several times as
 * long.
 */
function createRunAdder(
  { model, decoder }: TokenParts,
  isAdded: Uint8Array,
  keys: TextJoiner,
  texts: TextJoiner | undefined,
): (id: number) => number {
  const { byId } = model.vocabulary;
  const { replaces, readsBytes } = decoder;
  const [from, to] = (replaces ?? ['', '']).map((text) => Buffer.from(text)) as [Buffer, Buffer];
  if (byId === undefined || texts === undefined || from.length === 0 || to.length > from.length) return (id) => id;
  const { bytes, offsets } = byId;
  const count = offsets.length - 1;
  const isSingle = isAdded.slice(0, count);
  for (const id of [...(model.byteOf?.keys() ?? []), ...(model.texts?.keys() ?? [])]) isSingle[id] = 1;
  for (let id = 0; id < count; id++) {
    const start = offsets[id] as number;
    const end = offsets[id + 1] as number;
    if (end - start > MAX_TOKEN_BYTES || (readsBytes && byteIn(bytes, start, end) >= 0)) isSingle[id] = 1;
  }
  return (id) => {
    if (id >= count || isSingle[id] === 1) return id;
    const next = isSingle.indexOf(1, id);
    const end = next < 0 ? count : next;
    keys.addAll(byId, id, end);
    addReplaced(byId, id, end, from, to, texts);
    return end;
  };
}

/** By id: 1 for those in `ids`, all below `limit`. */
function flagsOf(ids: Iterable<number>, limit: number): Uint8Array {
  const flags = new Uint8Array(limit);
  for (const id of ids) flags[id] = 1;
  return flags;
}

/** Adds the key of a vocabulary's token; false when it has none. */
function addKey(keys: TextJoiner, { model: { vocabulary }, notation }: TokenParts, id: number): boolean {
  const start = vocabulary.starts[id] as number;
  const end = vocabulary.ends[id] as number;
  if (notation.readBytes !== undefined) {
    const count = notation.readBytes(vocabulary.bytes, start, end, keys.roomFor(end - start), keys.end);
    checkLength(count, 'model.vocab', 'has');
    if (count >= 0) keys.close(count);
    if (count >= 0) return true;
  }
  checkLength(end - start, 'model.vocab', 'has');
  keys.add(vocabulary.bytes, start, end);
  return notation.readBytes === undefined;
}

/** Returns the decoded text of a token of text. */
function createTexts({ texts, byteOf }: CompiledModel, decoder: Decoder): (id: number, content: string) => Uint8Array {
  const encode = createSlabEncoder();
  return (id, content) => {
    const byte = byteOf?.get(id) ?? decoder.byteOf(content);
    return byte >= 0 ? Uint8Array.of(byte) : encode(texts?.get(id) ?? decoder.textOf(content));
  };
}

/** Adds the decoded text of a vocabulary's token: without strings where the decoder only replaces one text by another. */
function createTextAdder(
  { vocabulary, texts, byteOf }: CompiledModel,
  { readsBytes, replaces }: Decoder,
  toText: (id: number, content: string) => Uint8Array,
): (out: TextJoiner, id: number) => void {
  const { bytes } = vocabulary;
  /** Tokens with a decoded text of the model's own, different from their content. */
  const isOwn = flagsOf([...(byteOf?.keys() ?? []), ...(texts?.keys() ?? [])], vocabulary.idLimit);
  const from = Buffer.from(replaces?.[0] ?? '');
  const to = Buffer.from(replaces?.[1] ?? '');
  return (out, id) => {
    const start = vocabulary.starts[id] as number;
    const end = vocabulary.ends[id] as number;
    if (isOwn[id] === 1 || replaces === undefined || (readsBytes && byteIn(bytes, start, end) >= 0)) {
      addChecked(out, toText(id, vocabulary.contentOf(id) ?? ''), 'model.vocab');
      return;
    }
    const room = (end - start) * Math.max(1, to.length);
    const count = replaceBytes(bytes, start, end, from, to, out.roomFor(room), out.end);
    checkLength(count, 'model.vocab', 'decodes to');
    out.close(count);
  };
}

function addChecked(out: TextJoiner, text: Uint8Array, where: string): void {
  checkLength(text.length, where, 'decodes to');
  out.add(text, 0, text.length);
}

function checkLength(count: number, where: string, what: 'has' | 'decodes to'): void {
  if (count > MAX_TOKEN_BYTES) throw tokenizerInvalid(where, `a token ${what} more than ${MAX_TOKEN_BYTES} bytes`);
}
