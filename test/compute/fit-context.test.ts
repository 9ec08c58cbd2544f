import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlanRequest } from '../../src/compute/index.js';
import { fitContext } from '../../src/compute/fit-context.js';

const GIB = 2 ** 30;

function fit(
  asked: Pick<PlanRequest, 'contextLength' | 'leastContext' | 'maxBytes'>,
  kvBytesPerToken: number,
  weightBytes = 0,
): number {
  const request = asked as PlanRequest;
  return fitContext(request, kvBytesPerToken, (tokens) => weightBytes + tokens * kvBytesPerToken);
}

/** The same, tried token by token of a thousand. */
function slowFit(
  {
    contextLength,
    leastContext = contextLength,
    maxBytes = Infinity,
  }: Partial<PlanRequest> & { contextLength: number },
  kvBytesPerToken: number,
  weightBytes: number,
): number {
  if (leastContext >= contextLength) return contextLength;
  const share = Math.max(GIB, maxBytes === Infinity ? 0 : maxBytes / 4);
  const fits = (tokens: number): boolean =>
    tokens * kvBytesPerToken <= share && weightBytes + tokens * kvBytesPerToken <= maxBytes;
  if (fits(contextLength)) return contextLength;
  for (let tokens = Math.floor(contextLength / 1024) * 1024; tokens > leastContext; tokens -= 1024) {
    if (fits(tokens)) return tokens;
  }
  return leastContext;
}

describe('the context that fits', () => {
  it('is what is asked for where nothing may be shortened, however little there is', () => {
    expect(fit({ contextLength: 131_072, maxBytes: 1 }, 2 ** 20)).toBe(131_072);
    expect(fit({ contextLength: 100, leastContext: 4096, maxBytes: 1 }, 2 ** 20)).toBe(100);
  });

  it('takes a gibibyte, or a quarter of a larger budget', () => {
    const asked = { contextLength: 131_072, leastContext: 4096 };
    expect(fit(asked, 70_000)).toBe(14 * 1024);
    expect(fit({ ...asked, maxBytes: 12 * GIB }, 70_000)).toBe(44 * 1024);
    expect(fit({ ...asked, maxBytes: 64 * GIB }, 70_000)).toBe(131_072);
  });

  it('leaves room for the weights, and is never less than the least', () => {
    const asked = { contextLength: 131_072, leastContext: 4096, maxBytes: 6 * GIB };
    expect(fit(asked, 70_000, 5.5 * GIB)).toBe(7 * 1024);
    expect(fit(asked, 70_000, 6 * GIB)).toBe(4096);
  });

  it('is that of a search over all of them', () => {
    const tokens = fc.integer({ min: 1, max: 300_000 });
    const run = fc.property(
      tokens,
      fc.constantFrom(undefined, 4096),
      fc.option(fc.integer({ min: 1, max: 64 * GIB }), { nil: undefined }),
      fc.integer({ min: 64, max: 2 ** 20 }),
      fc.integer({ min: 0, max: 16 * GIB }),
      (contextLength, leastContext, maxBytes, kvBytesPerToken, weightBytes) => {
        const asked = { contextLength, leastContext, maxBytes };
        expect(fit(asked, kvBytesPerToken, weightBytes)).toBe(slowFit(asked, kvBytesPerToken, weightBytes));
      },
    );
    fc.assert(run, { numRuns: 500 });
  });
});
