import { endOfJsonString } from './json-source.js';

/** A position in a JSON text. */
export interface JsonPosition {
  /** From the root, as `messages[0].content`. Names that are long or no plain words are `…`, since they may hold anything. */
  readonly path: string;
  /** Byte offset in the UTF-8 text, from 0. */
  readonly byte: number;
}

/** A scalar or a member's name, found on a walk through a JSON text. */
export interface JsonToken {
  readonly kind: 'key' | 'string' | 'scalar';
  /** In UTF-16 units, quotes included. */
  readonly start: number;
  readonly end: number;
  /** Names and indices from the root to the value, or to the named member. */
  readonly path: readonly (string | number)[];
  /** A name that its object already had. */
  readonly isRepeated: boolean;
}

/** An array or object around the present position of a walk. */
interface Frame {
  readonly keys: Set<string> | undefined;
  /** The present member or item. */
  at: string | number;
}

/** Skips the text between two relevant tokens, and values that are no strings. */
const TOKEN = /[\s:]*(?:([{}[\],])|(")|([^\s{}[\],:"]+))/y;

/**
 * The first token of a valid JSON text that satisfies `is`. A walk beside JSON.parse, for the rare texts where its
 * result is not enough: it does not report a repeated name or the digits of a number.
 */
export function findJsonToken(text: string, is: (token: JsonToken) => boolean): JsonToken | undefined {
  const frames: Frame[] = [];
  let namesNext = false;
  const found = (kind: JsonToken['kind'], start: number, end: number, isRepeated = false): JsonToken | undefined => {
    const token = { kind, start, end, isRepeated, path: frames.map(({ at }) => at) };
    return is(token) ? token : undefined;
  };
  for (let at = 0; at < text.length;) {
    TOKEN.lastIndex = at;
    const [all = '', sign, quote, scalar] = TOKEN.exec(text) ?? [];
    if (all === '') return undefined;
    at += all.length;
    const frame = frames.at(-1);
    if (sign === '{' || sign === '[') {
      frames.push(sign === '{' ? { keys: new Set(), at: '' } : { keys: undefined, at: 0 });
      namesNext = sign === '{';
    } else if (sign === '}' || sign === ']') {
      frames.pop();
      namesNext = false;
    } else if (sign === ',' && frame !== undefined) {
      if (typeof frame.at === 'number') frame.at++;
      namesNext = frame.keys !== undefined;
    } else if (quote !== undefined) {
      const start = at - 1;
      at = endOfJsonString(text, start) + 1;
      const isKey = namesNext;
      const isRepeated = isKey && frame !== undefined && !takeName(frame, text.slice(start, at));
      namesNext = false;
      const token = found(isKey ? 'key' : 'string', start, at, isRepeated);
      if (token !== undefined) return token;
    } else if (scalar !== undefined) {
      const token = found('scalar', at - scalar.length, at);
      if (token !== undefined) return token;
    }
  }
  return undefined;
}

/** The position of the first name that its object has twice. */
export function positionOfRepeatedKey(text: string): JsonPosition | undefined {
  const token = findJsonToken(text, ({ isRepeated }) => isRepeated);
  return token && toPlace(text, token.path, token.start);
}

/** The position of the first half of a surrogate pair, which only an escape can write. */
export function positionOfLoneSurrogate(text: string): JsonPosition | undefined {
  let half = -1;
  const token = findJsonToken(text, ({ kind, start, end }) => {
    half = kind === 'scalar' ? -1 : loneEscape(text, start, end);
    return half !== -1;
  });
  return token && toPlace(text, token.path, half);
}

/** Records the name of a member; false when its object already had it. */
function takeName(frame: Frame, written: string): boolean {
  const name: unknown = written.includes('\\') ? JSON.parse(written) : written.slice(1, -1);
  frame.at = String(name);
  if (frame.keys?.has(frame.at) === true) return false;
  frame.keys?.add(frame.at);
  return true;
}

/** Position in `text[start, end)` of an escape that is half of a pair; -1: none. */
function loneEscape(text: string, start: number, end: number): number {
  let high = -1;
  for (let at = text.indexOf('\\', start); at !== -1 && at < end; at = text.indexOf('\\', at)) {
    const isUnicode = text[at + 1] === 'u';
    const unit = isUnicode ? Number.parseInt(text.slice(at + 2, at + 6), 16) : 0;
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    const isPair = high !== -1 && isLow && high + 6 === at;
    if (high !== -1 && !isPair) return high;
    if (isLow && !isPair) return at;
    high = unit >= 0xd800 && unit <= 0xdbff ? at : -1;
    at += isUnicode ? 6 : 2;
  }
  return high;
}

function toPlace(text: string, path: JsonToken['path'], at: number): JsonPosition {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${nameOf(step)}`));
  return { path: steps.join('').replace(/^\./, ''), byte: Buffer.byteLength(text.slice(0, at)) };
}

function nameOf(name: string): string {
  return /^[A-Za-z_][\w-]{0,63}$/.test(name) ? name : '…';
}
