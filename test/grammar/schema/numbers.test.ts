import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grammarAccepts } from '../interpret.js';
import { createRandom, createSampler } from '../sample.js';
import { createAjv, tryRead } from './compare.js';

/** Doubles of all sizes: those that people write, those near a power of two or ten, and any bits. */
const bounds: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 1, -1, 100, 0.1, 1.0000001, 1e-7, 1e21, 5e-324, Number.MAX_VALUE, 2 ** 53, 2 ** 63, -(2 ** 53)),
  fc.integer({ min: -1000, max: 1000 }).map((value) => value / 10),
  fc.integer({ min: -80, max: 80 }).map((power) => 2 ** power),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** The double `steps` behind another. */
function neighbour(value: number, steps: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(steps));
  const found = view.getFloat64(0);
  return Number.isFinite(found) ? found : value;
}

/** Texts of numbers on and beside a double, with more digits than it has. */
function textsNear(value: number, tail: string): string[] {
  return [-1, 0, 1].flatMap((steps) => {
    const near = neighbour(value, steps);
    return [15, 16, 17, 18, 22, 40].flatMap((digits) => {
      const [plain, scientific] = [near.toPrecision(digits), near.toExponential(Math.min(digits, 17) - 1)];
      const longer = plain.includes('.') && !plain.includes('e') ? [`${plain}${tail}`, `${plain}0001`] : [];
      return [plain, scientific, ...longer, plain.replace(/\d(?=e|$)/, tail.slice(0, 1))];
    });
  });
}

/** Texts that a schema's grammar accepts: of the candidates, and of random walks. */
function acceptedBy(schema: unknown, candidates: readonly string[], seed: number): string[] {
  const read = tryRead(schema);
  if (typeof read === 'string') return [];
  const sample = createSampler(read.grammar);
  const random = createRandom(seed);
  const walked = Array.from({ length: 20 }, () => sample(random));
  return [...walked, ...candidates.filter((text) => grammarAccepts(read.grammar, text))];
}

const digits = fc.stringMatching(/^\d{5}$/);
const keyword = fc.constantFrom('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum');

describe('a number held to bounds', () => {
  it.each([
    [{ exclusiveMinimum: 1, exclusiveMaximum: 1.0000001 }, '1.0000000000000000000002'],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 1.0000001 }, '1.00000009999999999999'],
    [{ exclusiveMaximum: 1 }, '0.99999999999999999'],
    [{ exclusiveMaximum: 1 }, '9.9999999999999999e-1'],
    [{ exclusiveMinimum: 2 ** 53 }, '9007199254740993'],
    [{ minimum: 1, exclusiveMinimum: true }, '1.0000000000000000000002'],
    [{ not: { maximum: 1 } }, '1.0000000000000000000002'],
    [{ not: { const: 1 } }, '1.0000000000000000000002'],
    [{ not: { type: 'integer' } }, '1.0000000000000000000002'],
    [{ multipleOf: 3 }, '900719925474099300'],
    [{ multipleOf: 3 }, '10000000000000000000000002'],
    [{ multipleOf: 10 }, '1e23'],
    [{ not: { multipleOf: 2 } }, '9007199254740993'],
    [{}, '1e999'],
    [{ type: 'integer' }, '1e999'],
    [{ multipleOf: 10 }, '27124.0'],
    [{ maximum: 1e41 }, '1e64'],
    [{ exclusiveMaximum: 0 }, '-0'],
    [{ exclusiveMaximum: 0 }, '-1e-400'],
  ])('by %j has no text %s, which is outside of them as a double', (schema, text) => {
    expect(acceptedBy({ type: 'number', ...schema }, [text], 1)).not.toContain(text);
  });

  it('is within them as a double, whatever its text, and each double within them has its shortest text', () => {
    const pairs = fc.uniqueArray(fc.tuple(keyword, bounds), { minLength: 1, maxLength: 2, selector: ([name]) => name });
    const types = fc.constantFrom('number', 'integer');
    fc.assert(
      fc.property(pairs, types, fc.boolean(), digits, fc.nat(), (limits, type, isNear, tail, seed) => {
        const [[, first] = ['', 0], second] = limits;
        const named =
          isNear && second !== undefined ? [limits[0], [second[0], neighbour(first, (seed % 9) - 4)]] : limits;
        const schema = { type, ...Object.fromEntries(named as [string, number][]) };
        const validate = createAjv().compile(schema);
        const at = Object.values(schema).filter((each) => typeof each === 'number');
        const candidates = at.flatMap((value) => textsNear(value, tail));
        const accepted = acceptedBy(schema, candidates, seed);
        for (const text of accepted) expect([text, validate(JSON.parse(text))]).toEqual([text, true]);
        const doubles = at.flatMap((value) => [-2, -1, 0, 1, 2].map((steps) => neighbour(value, steps)));
        const shortest = doubles
          .filter((value) => validate(value) && isWritten(value))
          .map((value) => JSON.stringify(value));
        expect(acceptedBy(schema, shortest, seed).slice(20)).toEqual(shortest);
      }),
      { numRuns: 40 },
    );
  });

  it('is a multiple as a double, by its shortest text, and for steps that are whole by itself', () => {
    const steps = fc.oneof(
      fc.constantFrom(1, 2, 3, 7, 10, 25, 64, 0.5, 0.1, 0.01, 0.05, 0.25, 0.3, 1.5, 1e-7, 1e20),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 200 }).map((value) => value / 100),
    );
    const factors = fc.bigInt({ min: 0n, max: 10n ** 26n });
    fc.assert(
      fc.property(steps, fc.array(factors, { minLength: 5, maxLength: 20 }), fc.nat(), (step, counts, seed) => {
        const schema = { type: 'number', multipleOf: step };
        const validate = createAjv().compile(schema);
        const candidates = counts.map((count) => product(count, step));
        for (const text of acceptedBy(schema, candidates, seed)) {
          const value: unknown = JSON.parse(text);
          expect([text, validate(value)]).toEqual([text, true]);
          const isTold = Number.isInteger(step) && step < 1e12;
          if (isTold) expect([text, BigInt(Number(value)) % BigInt(step)]).toEqual([text, 0n]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('that is not whole, or no multiple, is none as a double', () => {
    const others = fc.constantFrom<object>({ type: 'integer' }, { multipleOf: 3 }, { multipleOf: 0.1 }, { const: 7 });
    const whole = fc.integer({ min: -20, max: 20 }).map((power) => 7 * 10 ** power);
    fc.assert(
      fc.property(others, fc.oneof(bounds, whole, fc.integer()), digits, fc.nat(), (not, at, tail, seed) => {
        const schema = { type: 'number', not };
        const validate = createAjv().compile(schema);
        for (const text of acceptedBy(schema, textsNear(at, tail), seed)) {
          expect([text, validate(JSON.parse(text))]).toEqual([text, true]);
        }
      }),
      { numRuns: 40 },
    );
  });
});

/** Whether a double has a text: the least and the largest are left out. */
function isWritten(value: number): boolean {
  const size = Math.abs(value);
  return size === 0 || (size >= 1e-323 && size < 1.7e308);
}

/** `count` times the number that a double's shortest text says, exactly. */
function product(count: bigint, step: number): string {
  const [mantissa = '', power = '0'] = String(step).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const places = fraction.length - Number(power);
  const digitsOf = String(count * BigInt(whole + fraction));
  if (places <= 0) return digitsOf + '0'.repeat(count === 0n ? 0 : -places);
  const padded = digitsOf.padStart(places + 1, '0');
  return `${padded.slice(0, -places)}.${padded.slice(-places)}`;
}
