import { isIn, whiteSpace, wordCharacters, type CategoryLookup } from '../unicode/code-points.js';
import { tokenizerInvalid } from '../errors.js';
import { readFlag, toIndex, toList, toObject, toText } from '../file/json.js';
import { MAX_ADDED_TOKEN_UNITS, MAX_ADDED_TOKENS, MAX_VOCAB_SIZE } from '../limits.js';
import type { Normalizer } from '../normalizers/index.js';
import { codePointAt, codePointBefore } from '../text/units.js';

/** A token that is cut out of a text before anything else. */
export interface AddedToken {
  /** Its id, which no other token has. */
  readonly id: number;
  /** The text that is cut out. */
  readonly content: string;
  /** Left out by `skipSpecialTokens`. */
  readonly special: boolean;
  /** Sought in the normalised text, after the others were cut out of the raw one. */
  readonly normalized: boolean;
  /** Takes the white space before it. */
  readonly lstrip: boolean;
  /** Takes the white space after it. */
  readonly rstrip: boolean;
  /** Not between word characters. */
  readonly singleWord: boolean;
}

/** Reads `added_tokens` of tokenizer.json; empty contents are dropped. Errors: `tokenizer_invalid`. */
export function parseAddedTokens(value: unknown, where: string): AddedToken[] {
  const tokens = toList(value ?? [], where, MAX_ADDED_TOKENS).map((each, i): AddedToken => {
    const place = `${where}[${i}]`;
    const spec = toObject(each, place);
    const content = toText(spec['content'], `${place}.content`);
    if (content.length > MAX_ADDED_TOKEN_UNITS) {
      throw tokenizerInvalid(`${place}.content`, `has ${content.length} units, the limit is ${MAX_ADDED_TOKEN_UNITS}`);
    }
    const flag = (key: string, absent = false): boolean => {
      const given = spec[key];
      // Places are written for errors alone: there are thousands of tokens.
      return typeof given === 'boolean' ? given : readFlag(given, `${place}.${key}`, absent);
    };
    const special = flag('special');
    return {
      id: toIndex(spec['id'], `${place}.id`, MAX_VOCAB_SIZE),
      content,
      special,
      normalized: flag('normalized', !special),
      lstrip: flag('lstrip'),
      rstrip: flag('rstrip'),
      singleWord: flag('single_word'),
    };
  });
  return tokens.filter((token) => token.content !== '');
}

/** Added tokens in the form of tokenizer.json: the input of `parseAddedTokens`. */
export function toAddedTokenSpecs(tokens: readonly AddedToken[]): readonly object[] {
  return tokens.map(({ id, content, special, normalized, lstrip, rstrip, singleWord }) => ({
    id,
    content,
    special,
    normalized,
    lstrip,
    rstrip,
    single_word: singleWord,
  }));
}

/** The content of a token as it is sought, and as it decodes: normalised for those sought in the normalised text. */
export function normalizedContent(token: AddedToken, normalizer: Normalizer | undefined): string {
  const isRewritten = token.normalized && normalizer !== undefined && normalizer.keepsTokens !== true;
  return isRewritten ? normalizer.normalize(token.content) : token.content;
}

/** A stretch of a text: an added token, or text between them (`id` -1). */
export type Stretch = (id: number, start: number, end: number) => void;

/** Whether the control token that was found at `[start, end)` is to be read as text. */
export type IsText = (token: AddedToken, start: number, end: number) => boolean;

/** Cuts added tokens out of a text; control tokens that `isText` takes for text are not cut. */
export interface Cutter {
  cut(units: Uint16Array, end: number, stretch: Stretch, isText?: IsText): void;
}

interface TrieNode {
  readonly next: Map<number, TrieNode>;
  token?: AddedToken;
}

/**
 * A cutter for `tokens`, each searched by its `contentOf`: the longest at the leftmost position, as `tokenizers` does
 * it, white space and single words included. Undefined without tokens. Where a control token is text, the next shorter
 * one at its position is tried, and then the next position. Source: huggingface/tokenizers, added_vocabulary.rs,
 * find_matches.
 */
export function createCutter(
  tokens: readonly AddedToken[],
  contentOf: (token: AddedToken) => string,
  isControl: (token: AddedToken) => boolean,
  categoryOf: CategoryLookup,
): Cutter | undefined {
  const root: TrieNode = { next: new Map() };
  const firstUnits = new Uint8Array(0x10000);
  for (const token of tokens) {
    const content = contentOf(token);
    if (content === '') continue;
    firstUnits[content.charCodeAt(0)] = 1;
    let node = root;
    for (let i = 0; i < content.length; i++) {
      const unit = content.charCodeAt(i);
      let next = node.next.get(unit);
      if (next === undefined) node.next.set(unit, (next = { next: new Map() }));
      node = next;
    }
    node.token ??= token;
  }
  if (root.next.size === 0) return undefined;
  const words = tokens.some((token) => token.singleWord) ? wordCharacters(categoryOf) : [];

  const isWordAround = (units: Uint16Array, start: number, stop: number, end: number): boolean =>
    (start > 0 && isIn(words, codePointBefore(units, start))) || (stop < end && isIn(words, codePointAt(units, stop)));

  const cut = (units: Uint16Array, end: number, stretch: Stretch, isText?: IsText): void => {
    let kept = 0;
    for (let at = 0; at < end;) {
      if (firstUnits[units[at] as number] === 0) {
        at++;
        continue;
      }
      let found: AddedToken | undefined;
      let matchEnd = at;
      let node: TrieNode | undefined = root;
      for (let i = at; i < end && node !== undefined;) {
        node = node.next.get(units[i++] as number);
        if (node?.token === undefined) continue;
        if (isText !== undefined && isControl(node.token) && isText(node.token, at, i)) continue;
        found = node.token;
        matchEnd = i;
      }
      if (found === undefined) {
        at++;
        continue;
      }
      let start = at;
      let stop = matchEnd;
      at = matchEnd; // the search goes on behind the match itself, whatever becomes of it
      if (found.singleWord && isWordAround(units, start, stop, end)) continue;
      if (found.lstrip) {
        while (start > 0 && isIn(whiteSpace, units[start - 1] as number)) start--;
        start = Math.max(start, kept);
      }
      if (found.rstrip) while (stop < end && isIn(whiteSpace, units[stop] as number)) stop++;
      if (start > kept) stretch(-1, kept, start);
      stretch(found.id, start, stop);
      kept = stop;
    }
    if (kept < end) stretch(-1, kept, end);
  };
  return { cut };
}
