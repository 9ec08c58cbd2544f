import * as fc from 'fast-check';
import { AppError } from '../../src/base/index.js';
import { parseSafetensorsHeader } from '../../src/weights/index.js';

const entry = (dtype: string, shape: number[], offsets: number[]): unknown => ({ dtype, shape, data_offsets: offsets });
const DATA_BYTES = 96;
const valid = JSON.stringify({
  __metadata__: { format: 'pt' },
  'model.a': entry('F32', [4, 2], [0, 32]),
  'model.b': entry('BF16', [3, 8], [32, 80]),
  'model.c': entry('U8', [16], [80, 96]),
});
const numbers = [
  '0',
  '-1',
  '2147483648',
  '4294967296',
  '9007199254740992',
  '9223372036854775808',
  '18446744073709551615',
];
const pieces = ['"', ':', ',', '{', '}', '[', ']', '\\', '1e400', 'null', '"F32"', '"F4"', '\u0000', ...numbers];

/** One change to the text of a header: replace a number, insert, delete, cut, repeat. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('number' as const), at: fc.nat(), by: fc.constantFrom(...numbers) }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), by: fc.constantFrom(...pieces) }),
  fc.record({ kind: fc.constant('byte' as const), at: fc.nat(), by: fc.nat(255).map((n) => String.fromCharCode(n)) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), by: fc.constant('') }),
  fc.record({ kind: fc.constant('repeat' as const), at: fc.nat(), by: fc.constant('') }),
);

function apply(text: string, { kind, at, by }: { kind: string; at: number; by: string }): string {
  const place = at % (text.length + 1);
  if (kind === 'number') {
    let count = 0;
    const all = text.match(/\d+/g)?.length ?? 1;
    return text.replace(/\d+/g, (number) => (count++ === at % all ? by : number));
  }
  if (kind === 'insert') return text.slice(0, place) + by + text.slice(place);
  if (kind === 'byte') return text.slice(0, place) + by + text.slice(place + 1);
  if (kind === 'cut') return text.slice(0, place);
  return text + text.slice(place);
}

/**
 * Mutates a header `numRuns` times: each is refused with `checkpoint_invalid`, or read into tensors that cover the data.
 * Returns how many were read.
 */
export function mutateHeaders(numRuns: number): number {
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const text = changes.reduce(apply, valid);
      let entries;
      try {
        entries = parseSafetensorsHeader(new TextEncoder().encode(text), DATA_BYTES, 'mutated');
      } catch (error) {
        return error instanceof AppError && error.code === 'checkpoint_invalid';
      }
      accepted++;
      let position = 0;
      for (const { begin, end } of entries) {
        if (begin !== position || end < begin) return false;
        position = end;
      }
      return position === DATA_BYTES;
    }),
    { numRuns },
  );
  return accepted;
}

/** A valid header, for suites that cut it. */
export const validHeader = { text: valid, dataBytes: DATA_BYTES };
