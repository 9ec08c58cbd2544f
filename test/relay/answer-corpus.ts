// Generated answers of upstreams: every way to frame, cut, encode and write that HTTP/1.1 and the APIs allow.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

/** One answer as it goes over the wire, and what a client must get of it. */
export interface CorpusAnswer {
  readonly name: string;
  readonly method: string;
  readonly status: number;
  /** Without what frames the message. */
  readonly fields: readonly (readonly [string, string])[];
  readonly body: Buffer;
  readonly trailers: readonly (readonly [string, string])[];
  readonly hasLength: boolean;
  /** The bytes to write, one write each. */
  readonly writes: readonly Buffer[];
}

/** Numbers from a seed, so that every run has the same answers. Source: mulberry32, Tommy Ettinger. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const USAGE = '"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}';
const TEXTS = ['Hi', '\\u00e9\\ud83d\\ude00', 'é😀', '\\"usage\\":{', '', 'data: x\\n\\n', '12345678901234567890'];
const STATUSES = [200, 200, 200, 200, 200, 201, 206, 301, 307, 400, 401, 404, 422, 429, 500, 503];
const FIELDS: readonly (readonly [string, string])[] = [
  ['X-Ratelimit-Remaining-Tokens', '99'],
  ['Retry-After', '3'],
  ['openai-processing-ms', '12'],
  ['Set-Cookie', 'a=1'],
  ['Set-Cookie', 'b=2'],
  ['X-Latin', 'gr\xfc\xdfe'],
  ['X-Empty', ''],
  ['Location', 'http://elsewhere.example/'],
  ['Cache-Control', 'no-cache'],
];

/** `count` answers. */
export function answerCorpus(count: number): readonly CorpusAnswer[] {
  return Array.from({ length: count }, (_, i) => makeAnswer(i, createRandom(i + 1)));
}

function makeAnswer(index: number, random: (below: number) => number): CorpusAnswer {
  const pick = <T>(list: readonly T[]): T => {
    const item = list[random(list.length)];
    if (item === undefined) throw new Error('an empty list');
    return item;
  };
  const kind = pick(['json', 'sse', 'sse', 'binary', 'none', 'head'] as const);
  const encoding = pick(['', '', '', 'gzip', 'br', 'deflate']);
  const status = kind === 'none' ? pick([204, 304]) : pick(STATUSES);
  const plain = kind === 'json' ? jsonText(random, pick) : kind === 'sse' ? sseText(random, pick) : bytes(random);
  const isBodiless = kind === 'none' || kind === 'head';
  const body = isBodiless ? Buffer.alloc(0) : encode(plain, encoding);
  const type =
    kind === 'sse' ? 'text/event-stream; charset=utf-8' : kind === 'binary' ? 'audio/wav' : 'application/json';
  const framing =
    kind === 'none' ? 'none' : kind === 'head' ? 'length' : pick(['length', 'chunked', 'chunked', 'close'] as const);
  const trailers =
    framing === 'chunked' && random(3) === 0
      ? ([
          ['X-Sum', 'abc'],
          ['X-Two', '2'],
        ] as const)
      : [];
  const fields: (readonly [string, string])[] = [['Content-Type', type]];
  if (encoding !== '' && !isBodiless) fields.push(['Content-Encoding', encoding]);
  fields.push(...FIELDS.filter(() => random(3) === 0), ['Date', 'Sun, 06 Nov 1994 08:49:37 GMT']);
  const length = kind === 'head' ? random(5_000) : body.length;
  const head = [
    `HTTP/1.1 ${status} ${pick(['OK', '', 'Whatever It Is'])}`,
    ...fields.map(([name, value]) => `${name}:${pick([' ', '', '  '])}${value}`),
    ...(framing === 'length' ? [`Content-Length: ${length}`] : []),
    ...(framing === 'chunked'
      ? ['Transfer-Encoding: chunked', 'Connection: keep-alive, X-Hop', 'X-Hop: 1', 'Keep-Alive: timeout=9']
      : []),
    ...(framing === 'close' ? ['Connection: close'] : []),
    '',
    '',
  ].join('\r\n');
  const framed = framing === 'chunked' ? inChunks(body, trailers, random) : body;
  return {
    name: `${index}: ${kind} ${encoding} ${framing}`,
    method: kind === 'head' ? 'HEAD' : 'POST',
    status,
    fields,
    body,
    trailers,
    hasLength: framing === 'length',
    writes: cut(Buffer.concat([Buffer.from(head, 'latin1'), framed]), random),
  };
}

function jsonText(random: (below: number) => number, pick: <T>(list: readonly T[]) => T): Buffer {
  const space = pick(['', ' ', '\n', '\r\n  ']);
  const choices = Array.from({ length: random(4) }, (_, i) => `{"index":${i},"message":{"content":"${pick(TEXTS)}"}}`);
  const members = [
    `"id":12345678901234567890`,
    `"choices":[${choices.join(',')}]`,
    `"x_unknown":{"a":[1E400,-0.0]}`,
    USAGE,
  ];
  return Buffer.from(`${space}{${members.join(`,${space}`)}}${space}`);
}

function sseText(random: (below: number) => number, pick: <T>(list: readonly T[]) => T): Buffer {
  const end = pick(['\n', '\r\n', '\r']);
  const lines: string[] = pick([[], ['\ufeff: begin'], [': OPENROUTER PROCESSING', '']]);
  for (let i = random(12); i >= 0; i--) {
    lines.push(...pick([[], [': ping', ''], ['event: message'], ['id: 7', 'retry: 10']]));
    lines.push(`data: {"choices":[{"delta":{"content":"${pick(TEXTS)}"}}],"n":9007199254740993}`, '');
  }
  if (random(2) === 0) lines.push(`data: {"choices":[],${USAGE}}`, '');
  if (random(3) > 0) lines.push('data: [DONE]', '');
  return Buffer.from(lines.join(end) + pick([end, '', 'data: {"cut off']));
}

function bytes(random: (below: number) => number): Buffer {
  return Buffer.from(Array.from({ length: random(3_000) }, () => random(256)));
}

function encode(body: Buffer, encoding: string): Buffer {
  if (encoding === 'gzip') return gzipSync(body);
  if (encoding === 'br') return brotliCompressSync(body);
  return encoding === 'deflate' ? deflateSync(body) : body;
}

function inChunks(body: Buffer, trailers: CorpusAnswer['trailers'], random: (below: number) => number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const size = 1 + random(Math.min(body.length - at, 200));
    const extension = random(5) === 0 ? ';a=b' : '';
    parts.push(Buffer.from(`${size.toString(16)}${extension}\r\n`), body.subarray(at, at + size), Buffer.from('\r\n'));
    at += size;
  }
  parts.push(Buffer.from(`0\r\n${trailers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`));
  return Buffer.concat(parts);
}

/** How many bytes of an answer are written one by one at most, or at a random place: each goes through all of a product. */
const [MOST_ONE_BY_ONE, SOME_ONE_BY_ONE] = [400, 40];

/** The bytes as a server may write them: at once, at odd places, some one by one, or (one answer in 32) from the first on. */
function cut(all: Buffer, random: (below: number) => number): Buffer[] {
  const way = random(32);
  const most = [all.length, 700, 60][way % 4] ?? all.length;
  const from = way % 4 === 3 && way < 31 ? random(all.length) : 0;
  const to = way === 31 ? MOST_ONE_BY_ONE : way % 4 === 3 ? from + SOME_ONE_BY_ONE : 0;
  const writes: Buffer[] = [];
  for (let at = 0; at < all.length;) {
    const left = (at < from ? from : all.length) - at;
    const size = at >= from && at < to ? 1 : Math.min(left, 1 + random(most));
    writes.push(all.subarray(at, at + size));
    at += size;
  }
  return writes;
}
