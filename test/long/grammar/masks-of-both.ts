import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { BenchVocabulary } from '../../../bench/grammar/vocabulary.js';
import {
  compileJsonSchema,
  compileRegex,
  type TextGrammar,
  type TextState,
  type Vocabulary,
} from '../../../src/grammar/entry.js';
import { readJsonSchema, readRegex } from '../../../src/grammar/index.js';
import { createRandom, createSampler } from '../../grammar/sample.js';
import type { PeerGrammar, PeerState } from './llguidance-peer.js';

/** Who allows a token that the other refuses. */
export type Side = 'ours' | 'peer';

/** A token behind the beginning of a text, that one allows and the other refuses. Bytes are Latin-1. */
export interface Difference {
  readonly grammar: PeerGrammar;
  readonly side: Side;
  readonly prefix: readonly number[];
  readonly tokenId: number;
  readonly before: string;
  readonly token: string;
  /** What has to follow `before`, as far as there is one way. */
  readonly forced: string;
}

/** One state of a text, in both. */
export interface Compared {
  readonly differences: readonly Difference[];
  readonly isEndEqual: boolean;
}

/** Our grammar, without white space between the parts of JSON. */
export function compileOurs(grammar: PeerGrammar): TextGrammar {
  return 'regex' in grammar ? compileRegex(grammar.regex) : compileJsonSchema(grammar.schema, { whitespace: 'none' });
}

/** Random texts of a grammar. */
export function sampleTexts(grammar: PeerGrammar, count: number): string[] {
  const read =
    'regex' in grammar
      ? { rules: [{ kind: 'regular', dfa: readRegex(grammar.regex, { anchored: true }) } as const], start: 0 }
      : readJsonSchema(grammar.schema, { whitespace: 'none' }).grammar;
  const sample = createSampler(read);
  const random = createRandom(33);
  return Array.from({ length: count }, () => sample(random));
}

/** Whether a whole text is one of the grammar, by ajv or by the regular expressions of JavaScript. */
export function createCheck(grammar: PeerGrammar): (text: Buffer) => boolean {
  const decode = (bytes: Buffer): string => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const isHeld = createTextCheck(grammar);
  return (bytes) => {
    try {
      return isHeld(decode(bytes));
    } catch {
      return false;
    }
  };
}

function createTextCheck(grammar: PeerGrammar): (text: string) => boolean {
  if ('regex' in grammar) {
    const whole = new RegExp(`^(?:${grammar.regex})$`, 'u');
    return (text) => whole.test(text);
  }
  const options = { strict: false, logger: false, multipleOfPrecision: 6 } as const;
  const ajv = JSON.stringify(grammar.schema).includes('draft-07') ? new Ajv(options) : new Ajv2020(options);
  addFormats.default(ajv);
  const validate = ajv.compile(grammar.schema);
  return (text) => validate(JSON.parse(text));
}

/** Both masks at each prefix of a text, as far as both go. */
export function compareText(
  grammar: PeerGrammar,
  start: TextState,
  text: readonly number[],
  states: readonly PeerState[],
  { tokens }: BenchVocabulary,
  vocabulary: Vocabulary,
): Compared[] {
  const compared: Compared[] = [];
  let state: TextState | undefined = start;
  let before = '';
  for (const [length, theirs] of states.entries()) {
    // Ours refuses the last token: the masks before it tell.
    if (state === undefined) return compared;
    const mask = state.mask(vocabulary);
    const prefix = text.slice(0, length);
    const forced = latin1(state.forcedBytes());
    const differences = differentIds(mask, theirs.mask).flatMap((tokenId): Difference[] => {
      const bytes = tokens[tokenId];
      // Tokens of a vocabulary's own, such as `<|im_end|>`, stand for no text; the peer has one of them for the end.
      if (bytes === undefined || bytes.length === 0) return [];
      const side = isSet(mask, tokenId) ? 'ours' : 'peer';
      return [{ grammar, side, prefix, tokenId, before, token: latin1(bytes), forced }];
    });
    compared.push({ differences, isEndEqual: state.canEnd === theirs.canEnd });
    const next = text[length];
    if (next === undefined) return compared;
    before += latin1(tokens[next]);
    state = state.advance(next, vocabulary);
  }
  return compared;
}

function differentIds(a: Uint32Array, b: Uint32Array): number[] {
  const ids: number[] = [];
  a.forEach((word, i) => {
    for (let bits = word ^ (b[i] ?? 0); bits !== 0; bits &= bits - 1) ids.push(32 * i + 31 - Math.clz32(bits & -bits));
  });
  return ids;
}

function isSet(mask: Uint32Array, id: number): boolean {
  return (((mask[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1;
}

function latin1(bytes: Uint8Array = new Uint8Array()): string {
  return Buffer.from(bytes).toString('latin1');
}

/** Bytes that end what is open are taken before others, and the first ones more often. */
const ENDING = Buffer.from('"}]:0123456789-/abcdef \\', 'latin1');
const MAX_BYTES = 2_000;
const MAX_TRIES = 20;
const PREFERENCE = 0.5;

/** A whole text of ours that begins with these bytes; undefined where none was found in some tries. */
export function completeOurs(start: TextState, beginning: Buffer): Buffer | undefined {
  const random = createRandom(1);
  const begun = start.advance(beginning);
  for (let i = 0; i < MAX_TRIES && begun !== undefined; i++) {
    const rest = restOf(begun, random);
    if (rest !== undefined) return Buffer.concat([beginning, Buffer.from(rest)]);
  }
  return undefined;
}

function restOf(begun: TextState, random: () => number): number[] | undefined {
  const bytes: number[] = [];
  for (let state = begun; bytes.length < MAX_BYTES;) {
    if (state.canEnd) return bytes;
    const allows = (byte: number): boolean => state.advance(Uint8Array.of(byte)) !== undefined;
    const ending = [...ENDING].filter(allows);
    const allowed = ending.length === 0 ? Array.from({ length: 256 }, (_, byte) => byte).filter(allows) : ending;
    const byte = allowed[random() < PREFERENCE ? 0 : Math.floor(random() * allowed.length)];
    const next = byte === undefined ? undefined : state.advance(Uint8Array.of(byte));
    if (byte === undefined || next === undefined) return undefined;
    bytes.push(byte);
    state = next;
  }
  return undefined;
}
