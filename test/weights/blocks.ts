import type { QuantName } from '../../src/weights/index.js';

export interface BlockCase {
  readonly what: string;
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

/** The same pseudo-normal numbers for the same seed: sums of uniform draws of a 32-bit mixer. */
export function seededNormals(count: number, seed: number): Float32Array {
  let state = seed >>> 0;
  const draw = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 0x1_0000_0000;
  };
  return Float32Array.from({ length: count }, () => draw() + draw() + draw() + draw() - 2);
}

/** What a quant can hold. */
const LARGEST: Readonly<Record<QuantName, number>> = {
  f32: 3.4e38,
  bf16: 3.38e38,
  f16: 65_504,
  q8: 127 * 65_504,
  q6k: 31 * 127 * 65_000,
  q5: 16 * 65_504,
  q5m: 32_752,
  q5k: 15 * 63 * 4000,
  q4: 8 * 65_504,
  q4m: 32_752,
  q4k: 7 * 63 * 8000,
};

/** Matrices that are hard on a quant, scaled to what `name` can hold. */
export function blockCases(name: QuantName): BlockCase[] {
  const largest = LARGEST[name];
  const of = (what: string, value: (i: number) => number, rows = 8, columns = 64): BlockCase => ({
    what,
    rows,
    columns,
    values: Float32Array.from({ length: rows * columns }, (_, i) => value(i)),
  });
  const normals = seededNormals(16 * 256, 1);
  const normal = (i: number): number => normals[i % normals.length] as number;
  const cases = [
    of('random', normal, 16, 256),
    of('random small weights', (i) => normal(i) * 0.02, 16, 256),
    of('odd shape', normal, 13, 75),
    of('zeros', () => 0),
    of('negative zeros', () => -0),
    of('constant', () => 0.37),
    of('constant negative', () => -0.37),
    of('both extremes', (i) => (i % 2 === 0 ? 1 : -1)),
    of('negative extremes', (i) => (i % 32 === 5 ? -3 : normal(i))),
    of('one outlier', (i) => (i % 32 === 31 ? 500 : normal(i) * 0.01)),
    of('largest', (i) => (i % 3 === 0 ? largest : -largest)),
    of('float32 subnormals', (i) => normal(i) * 1e-39),
    of('one value in a matrix', (i) => (i === 77 ? 1 : 0)),
  ];
  for (let exponent = -4; exponent >= -12; exponent--) {
    cases.push(of(`subnormal scales, 1e${exponent}`, (i) => normal(i) * 10 ** exponent, 16, 96));
  }
  return cases;
}
