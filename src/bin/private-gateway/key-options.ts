import { AppError } from '../../base/index.js';
import { parseExpiry, parseOptionalNumber } from '../../cli/index.js';

/** Options of a new key at a command line. */
export interface KeyFlags {
  readonly models: string | undefined;
  readonly expires: string | undefined;
  readonly requestsPerMinute: string | undefined;
  readonly tokensPerMinute: string | undefined;
  readonly parallel: string | undefined;
  readonly maxOutputTokens: string | undefined;
  readonly budget: readonly string[];
}

const COUNT = { min: 1, max: 1_000_000_000_000, whole: true } as const;
const TOKENS = /^(\d{1,13})\/(day|week|month|total)$/;
const MONEY = /^(\d{1,12}(?:\.\d{1,6})?) ?([A-Z]{3})\/(day|week|month|total)$/;

/** The parameters of `keys create`. Errors: `invalid_option`. */
export function toKeyParams(name: string, flags: KeyFlags, nowMs: number): object {
  const { models, expires, budget } = flags;
  const limits = {
    requests_per_minute: parseOptionalNumber('--requests-per-minute', flags.requestsPerMinute, COUNT),
    tokens_per_minute: parseOptionalNumber('--tokens-per-minute', flags.tokensPerMinute, COUNT),
    parallel_requests: parseOptionalNumber('--parallel', flags.parallel, COUNT),
    max_output_tokens: parseOptionalNumber('--max-output-tokens', flags.maxOutputTokens, COUNT),
    budget: budget.length === 0 ? undefined : budget.map(parseBudget),
  };
  return {
    name,
    ...(models !== undefined && { models: parseModels(models) }),
    ...(expires !== undefined && { expires_at_ms: parseExpiry('--expires', expires, nowMs) }),
    limits: Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)),
  };
}

/** The parameters of `keys set`: `none`, `all` and `never` take a limit away. Errors: `invalid_option`. */
export function toKeyChange(
  id: string,
  flags: KeyFlags & { readonly name: string | undefined },
  nowMs: number,
): object {
  const { name, models, expires, budget } = flags;
  const limit = (option: string, text: string | undefined): number | null | undefined =>
    text === 'none' ? null : parseOptionalNumber(option, text, COUNT);
  const limits = Object.entries({
    requests_per_minute: limit('--requests-per-minute', flags.requestsPerMinute),
    tokens_per_minute: limit('--tokens-per-minute', flags.tokensPerMinute),
    parallel_requests: limit('--parallel', flags.parallel),
    max_output_tokens: limit('--max-output-tokens', flags.maxOutputTokens),
    budget: budget.length === 0 ? undefined : budget.join(' ') === 'none' ? null : budget.map(parseBudget),
  }).filter(([, value]) => value !== undefined);
  const change = {
    ...(name !== undefined && { name }),
    ...(models !== undefined && { models: models === 'all' ? null : parseModels(models) }),
    ...(expires !== undefined && {
      expires_at_ms: expires === 'never' ? null : parseExpiry('--expires', expires, nowMs),
    }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  };
  if (Object.keys(change).length > 0) return { id, ...change };
  const message =
    'keys set changes nothing without an option; say what: --name, --models, --expires, --budget, or a limit.';
  throw new AppError('invalid_option', message, { option: '--name', value: null });
}

function parseModels(text: string): readonly string[] {
  return text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

function parseBudget(text: string): object {
  const [, tokens, window] = TOKENS.exec(text) ?? [];
  if (tokens !== undefined) return { tokens: Number(tokens), window };
  const [, amount, currency, moneyWindow] = MONEY.exec(text) ?? [];
  if (amount !== undefined) return { amount, currency, window: moneyWindow };
  throw wrong('--budget', text, 'tokens as 5000000/month, or money as 20.00EUR/day; of a day, week, month or total');
}

function wrong(option: string, value: string, expected: string): AppError {
  const message = `${option} is ${JSON.stringify(value)}, but must be ${expected}.`;
  return new AppError('invalid_option', message, { option, value });
}
