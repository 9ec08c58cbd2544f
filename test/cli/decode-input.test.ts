import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toErrorData } from '../../src/base/index.js';
import { decodeInput } from '../../src/cli/decode-input.js';

/** The refusal of bytes, which must be `input_not_text`. */
function refusal(bytes: Buffer): string {
  try {
    return `accepted: ${decodeInput(bytes)}`;
  } catch (error) {
    const { code, message } = toErrorData(error);
    expect(code).toBe('input_not_text');
    return message;
  }
}

const utf16le = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('standard input', () => {
  it('is the text of any UTF-8, without a byte order mark at its begin', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes('\0') && !text.startsWith('\ufeff'));
        expect(decodeInput(Buffer.from(text))).toBe(text);
        expect(decodeInput(Buffer.from(`\ufeff${text}`))).toBe(text);
      }),
    );
  });

  it('keeps a byte order mark that is not at its begin', () => {
    expect(decodeInput(Buffer.from('a\ufeffb'))).toBe('a\ufeffb');
  });

  it.each([
    ['with a mark', utf16le('\ufeffWhat?'), 'is UTF-16LE', 'iconv -f UTF-16 -t UTF-8'],
    ['with a mark, big end first', utf16be('\ufeffWhat?'), 'is UTF-16BE', 'iconv -f UTF-16 -t UTF-8'],
    ['of nothing but a mark', utf16le('\ufeff'), 'is UTF-16LE', '$OutputEncoding'],
    ['without a mark', utf16le('What?'), 'looks like UTF-16LE', 'iconv -f UTF-16LE -t UTF-8'],
    ['without a mark, big end first', utf16be('What?'), 'looks like UTF-16BE', 'iconv -f UTF-16BE -t UTF-8'],
    ['of Japanese with a space', utf16le('日本の 都市は'), 'looks like UTF-16LE', 'iconv'],
    ['as UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), 'is UTF-32LE', 'iconv -f UTF-32 -t UTF-8'],
    ['as UTF-32, big end first', Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x41]), 'is UTF-32BE', 'iconv'],
  ])('of another encoding is refused by its name: %s', (_, bytes, says, hint) => {
    expect(refusal(bytes)).toContain(says);
    expect(refusal(bytes)).toContain(hint);
  });

  it.each([
    ['a letter of Latin-1', Buffer.from('caf\xe9 ol\xe9', 'latin1'), 'byte 0xe9 at offset 3, line 1'],
    ['a lone continuation byte', Buffer.from([0x61, 0x0a, 0x80]), 'byte 0x80 at offset 2, line 2'],
    ['a character that is cut off', Buffer.from('ab😀').subarray(0, 5), 'byte 0xf0 at offset 2, line 1'],
    ['a surrogate', Buffer.from([0x61, 0xed, 0xa0, 0x80]), 'byte 0xed at offset 1, line 1'],
    ['an overlong form', Buffer.from([0xc0, 0xaf]), 'byte 0xc0 at offset 0, line 1'],
  ])('that is not UTF-8 is refused with its place: %s', (_, bytes, says) => {
    expect(refusal(bytes)).toContain(says);
    expect(refusal(bytes)).toContain('iconv -f WINDOWS-1252 -t UTF-8');
  });

  it('with a zero byte that makes no UTF-16 is no text', () => {
    expect(refusal(Buffer.from('a\0b'))).toContain('zero byte at offset 1');
    expect(refusal(Buffer.from('\x7fELF\x02\0\0\x01\0', 'latin1'))).toContain('zero byte at offset 5');
  });
});
