import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesSpec, openSpec } from './sample.js';

describe('the detokenizer', () => {
  const spec = bytesSpec({ added_tokens: [{ id: 300, content: '<end>', special: true }] });
  const tokenizer = openSpec(spec);
  const idOf = new Map(Array.from({ length: 256 }, (_, id) => [byteOf(id), id]));

  /** The byte that a token of the byte vocabulary stands for, by the way of a character that it completes. */
  function byteOf(id: number): number {
    for (let byte = 0; byte < 128; byte++) if (tokenizer.encode(String.fromCharCode(byte))[0] === id) return byte;
    for (let code = 0x80; code < 0x110000; code += code < 0x800 ? 1 : code < 0x10000 ? 64 : 4096) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const utf8 = new TextEncoder().encode(String.fromCodePoint(code));
      const at = tokenizer.encode(String.fromCodePoint(code)).indexOf(id);
      if (at >= 0) return utf8[at] ?? -1;
    }
    return -1 - id; // C0, C1, F5 and above stand in no text
  }

  const push = (bytes: readonly number[]): string[] => {
    const detokenizer = tokenizer.createDetokenizer();
    const deltas = bytes.map((byte) => detokenizer.push(idOf.get(byte) ?? -1));
    return [...deltas, detokenizer.flush()].map((each) => each.map((delta) => delta.special ?? delta.text).join(''));
  };

  it('holds back a code point until its last byte', () => {
    expect(push([0x61, 0xf0, 0x9f, 0x98, 0x80, 0x62])).toEqual(['a', '', '', '', '😀', 'b', '']);
  });

  it('gives U+FFFD as soon as it is certain, and once for each maximal invalid part', () => {
    expect(push([0xe2, 0x82, 0x41])).toEqual(['', '', '\ufffdA', '']);
    expect(push([0xe0, 0x80])).toEqual(['', '\ufffd\ufffd', '']);
    expect(push([0xed, 0xa0, 0x80])).toEqual(['', '\ufffd\ufffd', '\ufffd', '']);
    expect(push([0xf4, 0x90])).toEqual(['', '\ufffd\ufffd', '']);
    expect(push([0xe2, 0x82])).toEqual(['', '', '\ufffd']);
  });

  it('keeps U+FEFF at the beginning', () => {
    expect(push([0xef, 0xbb, 0xbf, 0x61])).toEqual(['', '', '\ufeff', 'a', '']);
  });

  it('gives an added token alone, after what was incomplete before it', () => {
    const detokenizer = tokenizer.createDetokenizer();
    expect(detokenizer.push(idOf.get(0xe2) ?? -1)).toEqual([]);
    expect(detokenizer.push(300)).toEqual([{ text: '\ufffd' }, { text: '', special: '<end>' }]);
    expect(detokenizer.push(299)).toEqual([]);
    expect(detokenizer.flush()).toEqual([]);
  });

  it('gives text whose bytes are those of the tokens', () => {
    expect([...tokenizer.tokenBytes(300)]).toEqual([...Buffer.from('<end>')]);
    for (const [byte, id] of idOf)
      expect([...tokenizer.tokenBytes(id)]).toEqual(byte < 0 ? [expect.any(Number)] : [byte]);
    expect(tokenizer.tokenBytes(299)).toHaveLength(0);
    for (const wrong of [-1, 301, 5_000, 0.5]) {
      const refused = `id is ${wrong}; it must be a whole number from 0 to 300`;
      expect(() => tokenizer.tokenBytes(wrong)).toThrow(refused);
      expect(() => tokenizer.createDetokenizer().push(wrong)).toThrow(refused);
      expect(() => tokenizer.decode([97, wrong])).toThrow(refused.replace('id', 'ids[1]'));
    }
    tokenizer.tokenBytes(300).fill(0);
    expect(tokenizer.decode([300])).toBe('<end>');
  });

  it('joined is decode, whatever the ids', () => {
    const ids = fc.array(
      fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 90, max: 255 }) }, fc.integer({ min: 0, max: 300 })),
    );
    fc.assert(
      fc.property(ids, (list) => {
        const detokenizer = tokenizer.createDetokenizer();
        const deltas = [...list.flatMap((id) => detokenizer.push(id)), ...detokenizer.flush()];
        expect(deltas.map((delta) => delta.special ?? delta.text).join('')).toBe(tokenizer.decode(list));
      }),
      { numRuns: 2000, seed: 5 },
    );
  });
});
