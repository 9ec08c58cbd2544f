import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringifyInOrder } from '../../src/base/index.js';
import { readAnswerFormat } from '../../src/bin/native-engine/dialogue/answer-format.js';

const directory = mkdtempSync(join(tmpdir(), 'troupe-format-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** A file with this text, by its path. */
function write(name: string, text: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

describe('the form of answers that a user asks for', () => {
  it('is a JSON object, or JSON that fits the schema of a file', async () => {
    expect(await readAnswerFormat('json', '--format')).toEqual({
      name: 'json',
      responseFormat: { type: 'json_object' },
    });
    for (const schema of [{ type: 'string' }, true]) {
      const path = write('schema.json', JSON.stringify(schema));
      const responseFormat = { type: 'json_schema', json_schema: { schema, strict: true } };
      expect(await readAnswerFormat(path, '--format')).toEqual({ name: path, responseFormat });
    }
  });

  it('has the names of the file in their order', async () => {
    const schema = '{"type":"object","properties":{"10":{},"2":{},"__proto__":{"type":"null"},"1":{}}}';
    const { responseFormat } = await readAnswerFormat(write('order.json', schema), '--format');
    expect(stringifyInOrder(responseFormat)).toContain(`"schema":${schema}`);
  });

  const large = write('large.json', '{}');
  truncateSync(large, 2 ** 20 + 1);
  it.each<readonly [string, string, string, RegExp]>([
    ['a misspelt word', 'jsno', 'invalid_option', /^--format is "jsno"; .*Did you mean json\?$/],
    ['a file that is not there', './nowhere/schema.json', 'path_invalid', /nowhere\/schema\.json cannot be read/],
    ['a directory', directory + '/', 'invalid_option', /is no file/],
    ['a file that is too large', large, 'invalid_option', /has 1048577 bytes, and may have 1048576/],
    ['text that is no JSON', write('a.json', '{"type":}'), 'invalid_option', /a\.json is not JSON/],
    ['no text', write('b.json', Buffer.from([0xff, 0xfe])), 'invalid_option', /b\.json is not UTF-8;/],
    ['a key twice', write('c.json', '{"type":1,"type":2}'), 'invalid_option', /c\.json repeats a key/],
    ['a list', write('d.json', '[1]'), 'invalid_option', /d\.json is an array of 1 items/],
    ['too deep', write('e.json', '['.repeat(300) + ']'.repeat(300)), 'invalid_option', /e\.json/],
    [
      'a schema that cannot be held',
      write('f.json', String.raw`{"properties":{"a":{"pattern":"(.)\\1"}}}`),
      'unsupported_schema',
      /f\.json: the keyword pattern at \/properties\/a\/pattern cannot be enforced: (?!.*strict)/,
    ],
    ['a schema that nothing fits', write('g.json', 'false'), 'unsatisfiable_schema', /g\.json: no JSON value/],
  ])('is not %s', async (_, asked, code, message) => {
    await expect(readAnswerFormat(asked, '--format')).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});
