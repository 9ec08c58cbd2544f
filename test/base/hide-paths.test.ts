import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AppError, createKindOf, hidePaths, toErrorData, toFileError } from '../../src/base/index.js';
import { relayedApis, toFinalBytes } from '../../src/relay-serving/index.js';
import { codeTables } from '../repo/code-tables.js';

const hidden = (message: string): string => hidePaths({ code: 'io_failed', message, details: {} }).message;

it.each([
  [
    '/etc/models/org/name/config.json cannot be read: permission is denied',
    'config.json cannot be read: permission is denied',
  ],
  ['the artifact "/var/lib/models/tiny" has no tokenizer', 'the artifact "tiny" has no tokenizer'],
  ['/tmp/a.json:3:1: a comma is missing', 'a.json:3:1: a comma is missing'],
  ['checkpoint file /home/me/.cache/x.gguf is broken (see /tmp)', 'checkpoint file x.gguf is broken (see tmp)'],
  [String.raw`C:\models\tiny.gguf changed while it was read`, 'tiny.gguf changed while it was read'],
  [`${join(tmpdir(), 'serving-1', 'x')} is full`, 'x is full'],
])('of a path of this machine only the last name stays: %s', (message, expected) => {
  expect(hidden(message)).toEqual(expected);
});

it.each([
  'there is nothing under this path for GET; GET /openapi.json lists the paths',
  'the keyword uniqueItems at /properties/home/uniqueItems of the JSON Schema cannot be enforced',
  'GET /v1/models lists the existing ones',
  'see https://huggingface.co/home/x and a/tmp/b',
  'response_format: "1/2" is no number of 0/etc',
  '',
])('paths of an API, pointers and addresses stay: %j', (message) => {
  expect(hidden(message)).toBe(message);
});

it('details that are texts are changed alike, and numbers stay', () => {
  expect(hidePaths({ code: 'io_failed', message: '', details: { path: '/var/lib/x', limit: 3, none: null } })).toEqual({
    code: 'io_failed',
    message: '',
    details: { path: 'x', limit: 3, none: null },
  });
});

const PATH = '/srv/private data/hosted.db';
const unavailable = new AppError('database_unavailable', `${PATH} cannot be used now: disk is full`, { path: PATH });

it('a path with spaces is found by the detail that has it', () => {
  expect(hidePaths(toErrorData(unavailable))).toEqual({
    code: 'database_unavailable',
    message: 'hosted.db cannot be used now: disk is full',
    details: { path: 'hosted.db' },
  });
  const denied = toFileError(Object.assign(new Error('EACCES'), { code: 'EACCES' }), 'write', PATH);
  expect(hidePaths(toErrorData(denied)).message).toMatch(/^hosted\.db cannot be written/);
});

it.each(Object.entries(relayedApis))('no last event of %s has the place of a file', (_, api) => {
  const kindOf = createKindOf(Object.values(codeTables));
  const last = Buffer.from(toFinalBytes(api, unavailable, kindOf)).toString();
  expect([last.includes('hosted.db cannot be used now'), last.includes('/srv')]).toEqual([true, false]);
});
