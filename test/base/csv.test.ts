import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toCsvLine, type CsvCell } from '../../src/base/index.js';

/** A reader of RFC 4180 by another way than the writer: character by character. */
function readCsv(text: string): string[][] {
  const lines: string[][] = [];
  let [line, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (isQuoted && character === '"' && text.charAt(i + 1) === '"') cell += text.charAt(i++);
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) cell += character;
    else if (character === ',') [line, cell] = [[...line, cell], ''];
    else if (character === '\r' && text.charAt(i + 1) === '\n') {
      lines.push([...line, cell]);
      [line, cell] = [[], ''];
      i++;
    } else cell += character;
  }
  return lines;
}

it('is read again as it was written, and no text of it is a formula', () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('=', '+', '-', '@', '"', ',', ';', '\r', '\n', '\t', ' ', 'a', "'", '＝') }),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(null),
  );
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1 }), (cells: CsvCell[]) => {
      const lines = readCsv(toCsvLine(cells));
      expect(lines).toHaveLength(1);
      const [line = []] = lines;
      expect(line).toHaveLength(cells.length);
      for (const [i, read] of line.entries()) {
        const written = cells[i] ?? null;
        if (typeof written !== 'string') expect(read).toBe(written === null ? '' : String(written));
        else {
          expect(read.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, '')).toBe(
            written.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, ''),
          );
          expect(read).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
        }
      }
    }),
  );
});

it.each([
  [['=1+1', '+1', '-1', '@SUM(A1)'], "'=1+1,'+1,'-1,'@SUM(A1)\r\n"],
  [['a,b', 'say "hi"', ' x '], '"a,b","say ""hi"""," x "\r\n'],
  [[1.5, -2, 3n, null, true, ''], '1.5,-2,3,,true,\r\n'],
] as const)('writes cells, case %#', (cells, line) => {
  expect(toCsvLine(cells)).toBe(line);
});
