import { AppError } from '../../base/index.js';
import { parseExpiry, parseOptionalNumber } from '../../cli/index.js';

/** Options of a new key at a command line. */
export interface KeyFlags {
  readonly account: string;
  readonly name: string;
  readonly models: string | undefined;
  readonly expires: string | undefined;
  readonly requestsPerMinute: string | undefined;
  readonly tokensPerMinute: string | undefined;
  readonly parallel: string | undefined;
  readonly budget: readonly string[];
}

const COUNT = { min: 1, max: 1_000_000_000_000, whole: true } as const;

/** The parameters of `keys create`. Errors: `invalid_option`. */
export function toKeyParams(flags: KeyFlags, nowMs: number): object {
  const { models, expires } = flags;
  const given = {
    requests_per_minute: parseOptionalNumber('--requests-per-minute', flags.requestsPerMinute, COUNT),
    tokens_per_minute: parseOptionalNumber('--tokens-per-minute', flags.tokensPerMinute, COUNT),
    parallel_requests: parseOptionalNumber('--parallel', flags.parallel, COUNT),
    expires_at_ms: expires === undefined ? undefined : parseExpiry('--expires', expires, nowMs),
    models: models?.split(',').map((name) => name.trim()),
  };
  return {
    account_id: flags.account,
    name: flags.name,
    budgets: flags.budget.map(parseBudget),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

function parseBudget(text: string): object {
  const [, amount, window] = /^(\d{1,12}(?:\.\d{1,6})?)\/(day|week|month|total)$/.exec(text) ?? [];
  if (amount !== undefined && window !== undefined) return { amount, window };
  const message = `--budget is ${JSON.stringify(text)}, but must be an amount and a window such as 5.00/day; of a day, week, month or total.`;
  throw new AppError('invalid_option', message, { option: '--budget', value: text });
}
