import { AppError } from '../../base/index.js';
import { parseOptionalNumber } from '../../cli/index.js';
import { parseDate } from './parse-date.js';

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
const DAY_MS = 86_400_000;

/** The parameters of `keys create`. Errors: `invalid_option`. */
export function toKeyParams(flags: KeyFlags, nowMs: number): object {
  const { models, expires } = flags;
  const given = {
    requests_per_minute: parseOptionalNumber('--requests-per-minute', flags.requestsPerMinute, COUNT),
    tokens_per_minute: parseOptionalNumber('--tokens-per-minute', flags.tokensPerMinute, COUNT),
    parallel_requests: parseOptionalNumber('--parallel', flags.parallel, COUNT),
    expires_at_ms: expires === undefined ? undefined : parseExpiry(expires, nowMs),
    models: models?.split(',').map((name) => name.trim()),
  };
  return {
    account_id: flags.account,
    name: flags.name,
    budgets: flags.budget.map(parseBudget),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

/** Days from now, or a point in time to come. */
function parseExpiry(text: string, nowMs: number): number {
  const days = /^(\d{1,4})d$/.exec(text)?.[1];
  const time = days === undefined ? parseDate('--expires', text) : nowMs + Number(days) * DAY_MS;
  if (time > nowMs) return time;
  throw new AppError('invalid_option', `--expires is ${JSON.stringify(text)}, which is over.`, { option: '--expires' });
}

function parseBudget(text: string): object {
  const [, amount, window] = /^(\d{1,12}(?:\.\d{1,6})?)\/(day|week|month|total)$/.exec(text) ?? [];
  if (amount !== undefined && window !== undefined) return { amount, window };
  const message = `--budget is ${JSON.stringify(text)}, but must be an amount and a window such as 5.00/day; of a day, week, month or total.`;
  throw new AppError('invalid_option', message, { option: '--budget', value: text });
}
