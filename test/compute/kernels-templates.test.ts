import { describe, expect, it } from 'vitest';

interface Unroll {
  unroll(text: string, path: string, rows?: readonly number[]): string;
}
interface MakeSources {
  unrollSources(texts: ReadonlyMap<string, string>): Map<string, string>;
}
const make = new URL('../../../kernels-as/make/', import.meta.url);
const { unroll } = (await import(new URL('unroll.mjs', make).href)) as Unroll;
const { unrollSources } = (await import(new URL('make-sources.mjs', make).href)) as MakeSources;

const template = `for (const [$rows, $name] of ROWS) {
  const $steps = $rows == 1 ? 2 : 1;
  export function $name(
    x: usize,
    xStride: usize, // if $rows > 1
  ): void {
    for (; x < end; x += 4 * $steps) {
      for (const $row of downFrom($rows)) {
        let v = v128.load32_splat(x + $row * xStride, 4 * $steps);
        a$row_0 = dot(a$row_0, v);
      }
    }
  }
}
`;

describe('the templates of kernels', () => {
  it('become one function for each number of rows, with the values in their places', () => {
    expect(unroll(template, 'a-rows.ts', [1, 3]).replaceAll(/^ +/gm, '')).toBe(`export function oneRow(
x: usize,
): void {
for (; x < end; x += 4 * 2) {
let v = v128.load32_splat(x, 4 * 2);
a0_0 = dot(a0_0, v);
}
}
export function threeRows(
x: usize,
xStride: usize,
): void {
for (; x < end; x += 4 * 1) {
let v = v128.load32_splat(x + xStride2, 4 * 1);
a2_0 = dot(a2_0, v);
v = v128.load32_splat(x + xStride, 4 * 1);
a1_0 = dot(a1_0, v);
v = v128.load32_splat(x, 4 * 1);
a0_0 = dot(a0_0, v);
}
}
`);
  });

  it('declare a variable once in each block', () => {
    const text = 'for (const $i of [0, 1]) {\n  let a = $i;\n  while (a) {\n    let b = $i;\n  }\n}';
    expect(unroll(text, 'a.ts')).toBe('let a = 0;\nwhile (a) {\n  let b = 0;\n}\na = 1;\nwhile (a) {\n  let b = 1;\n}');
  });

  it('take several values in a turn, and loops in one another', () => {
    const text =
      'for (const [$a, $b] of [\n  [1, "x"],\n  [2, "y"],\n]) {\n  for (const $c of upTo($a)) {\n    $b$c;\n  }\n}';
    expect(unroll(text, 'a.ts')).toBe('x0;\ny0;\ny1;');
  });

  it('take adjacent numbers in pairs', () => {
    expect(unroll('for (const [$i, $j] of pairs(4)) {\n  store(a$i, a$j);\n}', 'a.ts')).toBe(
      'store(a0, a1);\nstore(a2, a3);',
    );
  });

  it.each([
    ['for (const $i of upTo(2)) {\n  a;\n', 'kernels-as/a.ts:1: the loop has no end of the same indent'],
    ['a;\nb$row;', 'kernels-as/a.ts:2: $row has no value'],
    ['for (const $i of few) {\n}', 'kernels-as/a.ts:1: few: few is not defined'],
    ['const $a = 1 +;', 'kernels-as/a.ts:1: 1 +: Unexpected token'],
  ])('refuse %j with its place', (text, message) => {
    expect(() => unroll(text, 'a.ts')).toThrow(message);
  });

  it('are made where a source imports them, the same each time, and leave other sources as they are', () => {
    const source = "import { oneRow } from '../b/a-1-rows';\nimport { twoRows } from '../b/a-2-3-rows';\n";
    const texts = new Map([
      ['a/user.ts', source],
      ['b/a-rows.ts', template],
    ]);
    const made = unrollSources(texts);
    expect([...made.keys()]).toEqual(['a/user.ts', 'b/a-1-rows.ts', 'b/a-2-3-rows.ts']);
    expect(made.get('a/user.ts')).toBe(source);
    expect(made.get('b/a-2-3-rows.ts')).toBe(unroll(template, 'b/a-rows.ts', [2, 3]));
    expect(unrollSources(texts)).toEqual(made);
  });

  it('are refused where nothing imports them, and imports without one', () => {
    expect(() => unrollSources(new Map([['a-rows.ts', template]]))).toThrow(
      'a-rows.ts is a template of rows that no file',
    );
    expect(() => unrollSources(new Map([['u.ts', "import { oneRow } from './a-1-rows';"]]))).toThrow(
      'without a a-rows.ts',
    );
  });
});
