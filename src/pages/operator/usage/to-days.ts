import type { UsageReport } from '../api/operator-api.js';

const DAY_MS = 86_400_000;

/** Charged money by day. */
export interface MoneyDays {
  readonly currency: string;
  readonly values: readonly number[];
  readonly sum: number;
}

/** Sums of days as charts take them: a value for each day of the range, those without usage too. */
export function toDays({ from, to, usage }: UsageReport) {
  const first = Date.parse(from);
  const count = Math.max(0, Math.round((Date.parse(to) - first) / DAY_MS));
  const values = (of: (row: UsageReport['usage'][number]) => number): number[] => {
    const days = Array.from<number>({ length: count }).fill(0);
    for (const row of usage) {
      const at = Math.round((Date.parse(row.day ?? '') - first) / DAY_MS);
      if (days[at] !== undefined) days[at] += of(row);
    }
    return days;
  };
  const sumOf = (all: readonly number[]): number => all.reduce((sum, value) => sum + value, 0);
  const requests = values((row) => row.requests);
  const prompt = values((row) => row.prompt_tokens);
  const completion = values((row) => row.completion_tokens);
  const currencies = [...new Set(usage.map(({ currency }) => currency))];
  const money = currencies.map((currency): MoneyDays => {
    const amounts = values((row) => (row.currency === currency ? Number(row.cost) : 0));
    return { currency, values: amounts, sum: sumOf(amounts) };
  });
  const times = Array.from({ length: count }, (_, i) => (first + i * DAY_MS) / 1_000);
  const total = { requests: sumOf(requests), prompt: sumOf(prompt), completion: sumOf(completion) };
  return { times, requests, prompt, completion, money, total };
}
