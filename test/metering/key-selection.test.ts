import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeySelector, type KeySort, type KeyCursor, type KeyView } from '../../src/metering/keys/key-selection.js';

interface Facts {
  readonly name: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
  readonly tokens: number;
  readonly isActive: boolean;
}

const facts: fc.Arbitrary<Facts> = fc.record({
  name: fc.constantFrom('a', 'B', 'b', 'team 1', 'Team 2'),
  createdAtMs: fc.nat({ max: 3 }),
  lastUsedAtMs: fc.nat({ max: 3 }),
  tokens: fc.nat({ max: 3 }),
  isActive: fc.boolean(),
});

function toView({ name, createdAtMs, lastUsedAtMs, tokens, isActive }: Facts, index: number): KeyView {
  return {
    id: `vk_${String(index).padStart(3, '0')}`,
    name,
    prefix: 'gwk_',
    origin: 'database',
    models: null,
    createdAtMs,
    state: () => (isActive ? 'active' : 'disabled'),
    lastUsedAtMs: () => lastUsedAtMs,
    monthTokens: () => tokens,
  };
}

const values: Readonly<Record<KeySort, (view: KeyView) => string | number>> = {
  created: (view) => view.createdAtMs,
  name: (view) => view.name.toLowerCase(),
  last_used: (view) => view.lastUsedAtMs(),
  tokens: (view) => view.monthTokens(),
};

describe('pages of keys', () => {
  it('show each key that fits once, in the order of sorting them all, whatever their size', () => {
    const orders = fc.constantFrom<KeySort>('created', 'name', 'last_used', 'tokens');
    const asked = [fc.array(facts, { maxLength: 40 }), orders, fc.boolean(), fc.integer({ min: 1, max: 9 })] as const;
    fc.assert(
      fc.property(...asked, (all, order, descending, limit) => {
        const views = all.map(toView);
        const active = views.filter((view) => view.state() === 'active');
        const valueOf = values[order];
        const compare = (a: KeyView, b: KeyView): number =>
          valueOf(a) === valueOf(b) ? (a.id < b.id ? -1 : 1) : valueOf(a) < valueOf(b) ? -1 : 1;
        const sorted = active.toSorted((a, b) => (descending ? compare(b, a) : compare(a, b)));
        const selector = new KeySelector(() => views);
        const found: string[] = [];
        for (let after: KeyCursor | undefined, pages = 0; ; pages++) {
          expect(pages).toBeLessThanOrEqual(all.length);
          const ask = { order, descending, limit, state: 'active', ...(after !== undefined && { after }) } as const;
          const { ids, total, next } = selector.select(ask);
          expect(total).toBe(active.length);
          expect(ids.length === limit || next === undefined).toBe(true);
          found.push(...ids);
          after = next;
          if (next === undefined) break;
        }
        expect(found).toEqual(sorted.map(({ id }) => id));
      }),
      { numRuns: 500, seed: 7 },
    );
  });
});
