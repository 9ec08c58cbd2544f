// Bodies as bytes, framing, streams that are refused, and metrics, of the recorded corpus.
import { gzipSync } from 'node:zlib';
import type { HttpCase } from './exchange.js';

const CHAT = '/v1/chat/completions';
const TEXT = '/v1/completions';
const good = { model: 'demo', messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 2, temperature: 0 };
const text = JSON.stringify(good);
const chunk = (content: string): string => `${content.length.toString(16)}\r\n${content}\r\n`;
const CHUNKED = [['Transfer-Encoding', 'chunked']] as const;

const types: readonly string[] = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'multipart/form-data; boundary=x',
];

const bodies: readonly HttpCase[] = [
  { name: 'bytes that are no UTF-8', path: CHAT, body: Buffer.concat([Buffer.from('{"model":"'), Buffer.of(0xff)]) },
  { name: 'a letter in Latin-1', path: CHAT, body: Buffer.from(text.replace('Hello', 'Gr\u00fc\u00dfe'), 'latin1') },
  { name: 'UTF-16', path: CHAT, body: Buffer.from(text, 'utf16le') },
  { name: 'gzip', path: CHAT, body: gzipSync(text), headers: [['Content-Encoding', 'gzip']] },
  { name: 'a cut gzip', path: CHAT, body: gzipSync(text).subarray(0, 40), headers: [['Content-Encoding', 'gzip']] },
  { name: 'an unknown encoding', path: CHAT, body: text, headers: [['Content-Encoding', 'x-own']] },
  { name: 'a nested key twice', path: CHAT, body: text.replace('"role"', '"role":"user","role"') },
  { name: 'an escaped letter', path: CHAT, body: text.replace('Hello', '\\u0048ello') },
  { name: 'two values', path: CHAT, body: `${text}{}` },
  { name: 'a large body', path: CHAT, body: text, headers: [['Content-Length', '999999999999']] },
  { name: 'a length that is no number', path: CHAT, body: text, headers: [['Content-Length', '1x']] },
  { name: 'a negative length', path: CHAT, body: text, headers: [['Content-Length', '-1']] },
  {
    name: 'chunks',
    path: CHAT,
    body: `${chunk(text.slice(0, 20))}${chunk(text.slice(20))}0\r\n\r\n`,
    headers: CHUNKED,
  },
  { name: 'a chunk without a size', path: CHAT, body: 'zz\r\n', headers: CHUNKED },
  { name: 'another transfer coding', path: CHAT, body: text, headers: [['Transfer-Encoding', 'gzip']] },
  {
    name: 'a length and chunks',
    path: CHAT,
    body: `${chunk(text)}0\r\n\r\n`,
    headers: [['Content-Length', '5'], ...CHUNKED],
  },
  { name: 'a GET with a body', method: 'GET', path: '/v1/models', body: '{}' },
];

const heads: readonly HttpCase[] = [
  { name: 'an id that is not taken over', path: '/v1/models', headers: [['x-request-id', 'a b']] },
  { name: 'an id of a refusal', path: '/none', headers: [['x-request-id', 'mine-2']] },
  { name: 'an id of an answer', path: CHAT, body: good, headers: [['x-request-id', 'mine-3']] },
  { name: 'an id of a stream', path: CHAT, body: { ...good, stream: true }, headers: [['x-request-id', 'mine-4']] },
  {
    name: 'two Hosts',
    path: '/v1/models',
    headers: [
      ['Host', 'localhost'],
      ['Host', 'localhost'],
    ],
  },
  { name: 'localhost', path: '/v1/models', headers: [['Host', 'localhost']] },
  { name: 'a field name with a space', path: '/v1/models', headers: [['x own', 'y']] },
  { name: 'an unknown method', method: 'BREW', path: '/v1/models' },
  { name: 'a method that is no word', method: '7@', path: '/v1/models' },
  { name: 'a path without a slash', method: 'GET', path: 'v1/models' },
  { name: 'an escape that is none', path: '/v1/models/%zz' },
  {
    name: 'an Origin and a stream',
    path: CHAT,
    body: { ...good, stream: true },
    headers: [['Origin', 'http://localhost']],
  },
  { name: 'an Origin and a refusal', path: CHAT, body: {}, headers: [['Origin', 'http://localhost']] },
];

const refusedStreams: Readonly<Record<string, readonly [string, object]>> = {
  'no such model': [CHAT, { ...good, model: 'none' }],
  'a wrong type': [CHAT, { ...good, temperature: 'hot' }],
  json_schema: [CHAT, { ...good, response_format: { type: 'json_schema' } }],
  'a text of no such model': [TEXT, { model: 'none', prompt: 'x' }],
  'a text that is too long': [TEXT, { model: 'demo', prompt: 'word '.repeat(3000) }],
  best_of: [TEXT, { model: 'demo', prompt: 'x', best_of: 3 }],
};

/** Metrics come last: they count what was asked before, whose values are replaced. */
export const edgeCases: readonly HttpCase[] = [
  ...types.map((type) => ({
    name: `edge: ${type}`,
    path: CHAT,
    body: good,
    headers: [['Content-Type', type]] as const,
  })),
  ...bodies.map((own) => ({ ...own, name: `edge: ${own.name}` })),
  ...heads.map((own) => ({ ...own, name: `edge: ${own.name}` })),
  ...Object.entries(refusedStreams).map(([name, [path, body]]) => ({
    name: `edge, streamed: ${name}`,
    path,
    body: { ...body, stream: true },
  })),
  { name: 'edge: GET /metrics', path: '/metrics' },
];
