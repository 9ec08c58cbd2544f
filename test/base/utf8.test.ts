import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodedLength } from '../../src/base/index.js';

it('bytes of any kind are cut into the code points that a decoder makes of them', () => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // Bytes near the limits of the table of well-formed ones, and any.
  const edges = [
    0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5,
  ];
  const byte = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...edges) }, fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 12 }), (bytes) => {
      const texts: string[] = [];
      for (let at = 0; at < bytes.length;) {
        const count = decodedLength(bytes, at);
        texts.push(decoder.decode(Uint8Array.from(bytes.slice(at, at + count))));
        at += count;
      }
      expect(texts).toEqual(Array.from(decoder.decode(Uint8Array.from(bytes))));
    }),
    { numRuns: 5_000 },
  );
});
