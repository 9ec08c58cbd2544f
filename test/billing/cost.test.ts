import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  affordableAtRates,
  boundMicro,
  costMicro,
  MAX_PIECE_NANO,
  MAX_TOKEN_NANO,
  type Rates,
  type Used,
} from '../../src/billing/prices/cost.js';
import { listFiles } from '../repo/source-tree.js';

const token = fc.bigInt({ min: 0n, max: MAX_TOKEN_NANO });
const piece = fc.bigInt({ min: 0n, max: MAX_PIECE_NANO });
const rates: fc.Arbitrary<Rates> = fc.record({
  inputNano: token,
  cachedInputNano: token,
  cacheWriteNano: token,
  outputNano: token,
  requestNano: piece,
  imageNano: piece,
  audioNano: piece,
});
const count = fc.integer({ min: 0, max: 2 ** 31 });
const usage: fc.Arbitrary<Used> = fc
  .record({
    promptTokens: count,
    cached: fc.double({ min: 0, max: 1, noNaN: true }),
    written: fc.double({ min: 0, max: 1, noNaN: true }),
    completionTokens: count,
    images: fc.nat(10_000),
    audios: fc.nat(10_000),
  })
  .map(({ cached, written, ...all }) => {
    const cachedTokens = Math.floor(all.promptTokens * cached);
    return { ...all, cachedTokens, cacheWriteTokens: Math.floor((all.promptTokens - cachedTokens) * written) };
  });

describe('the cost of a request', () => {
  it('is the exact sum, rounded up once', () => {
    fc.assert(
      fc.property(rates, usage, (price, used) => {
        const exact =
          BigInt(used.promptTokens - used.cachedTokens - (used.cacheWriteTokens ?? 0)) * price.inputNano +
          BigInt(used.cacheWriteTokens ?? 0) * (price.cacheWriteNano ?? price.inputNano) +
          BigInt(used.cachedTokens) * price.cachedInputNano +
          BigInt(used.completionTokens) * price.outputNano +
          price.requestNano +
          BigInt(used.images) * price.imageNano +
          BigInt(used.audios) * price.audioNano;
        const cost = costMicro(price, used);
        expect(cost * 1000n >= exact && (cost - 1n) * 1000n < exact).toBe(true);
        // Neither the sum nor the cost leaves 64 bits.
        expect(exact < 2n ** 63n).toBe(true);
      }),
    );
  });

  it('grows with every count, and is at most its bound', () => {
    fc.assert(
      fc.property(
        rates,
        usage,
        fc.constantFrom('promptTokens', 'completionTokens', 'images', 'audios'),
        (price, used, name) => {
          expect(costMicro(price, { ...used, [name]: used[name] + 1 }) >= costMicro(price, used)).toBe(true);
          expect(boundMicro(price, used) >= costMicro(price, used)).toBe(true);
        },
      ),
    );
  });

  it('of two requests together differs from one of both by the one rounding and the price of a request', () => {
    fc.assert(
      fc.property(rates, usage, usage, (all, a, b) => {
        const price = { ...all, requestNano: 0n };
        const both = {
          promptTokens: a.promptTokens + b.promptTokens,
          cachedTokens: a.cachedTokens + b.cachedTokens,
          cacheWriteTokens: (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0),
          completionTokens: a.completionTokens + b.completionTokens,
          images: a.images + b.images,
          audios: a.audios + b.audios,
        };
        const apart = costMicro(price, a) + costMicro(price, b);
        const together = costMicro(price, both);
        expect(apart - together === 0n || apart - together === 1n).toBe(true);
      }),
    );
  });

  it('of the tokens that an amount affords is within it, and of one more is not', () => {
    fc.assert(
      fc.property(rates, usage, fc.bigInt({ min: 0n, max: 10n ** 15n }), (price, used, micro) => {
        const tokens = affordableAtRates(price, used, micro);
        const bound = (completionTokens: number): bigint => boundMicro(price, { ...used, completionTokens });
        if (tokens < 0) expect(bound(0) > micro).toBe(true);
        else expect(bound(tokens) <= micro || price.outputNano === 0n).toBe(true);
        if (tokens >= 0 && tokens < Number.MAX_SAFE_INTEGER) expect(bound(tokens + 1) > micro).toBe(true);
      }),
    );
  });
});

describe('the module billing', () => {
  it('makes no number of an amount and divides none', () => {
    const wrong = listFiles('src/billing', '.ts').flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) =>
          /parseFloat|Number\([^)]*(?:[mM]icro|[nN]ano)|numberOf\([^)]*(?:_micro|_nano)|(?:Micro|Nano)\b[^,;]*\.toFixed/.test(
            line,
          ),
        )
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(wrong).toEqual([]);
    expect(listFiles('src/billing', '.ts').length).toBeGreaterThan(20);
  });
});
