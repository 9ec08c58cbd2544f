// Sums of usage: the API shows those of an account, an operation shows the operator those of all.
import { AppError } from '../../base/index.js';
import { type PaidRequests, type UsageGroup, type UsageSum } from '../../billing/index.js';
import { Type, type Static } from '../../schema/index.js';
import { toTime } from '../operations/shown.js';
import { dayFields, readDays } from './time-range.js';
import { toAmount } from '../../words/index.js';

/** The groups that an account may ask for. */
export const ACCOUNT_GROUPS = ['day', 'key', 'provider', 'model'] as const satisfies readonly UsageGroup[];
/** The groups that an operator may ask for. */
export const ALL_GROUPS = ['account', ...ACCOUNT_GROUPS] as const satisfies readonly UsageGroup[];

/** The parameters of a usage report, with some of `groups`. */
export function usageFields(groups: readonly UsageGroup[], initial: string) {
  const description = `some of ${groups.join(', ')}, with commas; default ${initial}`;
  return { ...dayFields, group_by: Type.Optional(Type.String({ maxLength: 64, description })) };
}

/** One sum. Columns that it is not grouped by are absent. */
export const UsageReportRow = Type.Object({
  account_id: Type.Optional(Type.String()),
  account_name: Type.Optional(Type.String()),
  day: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  key_name: Type.Optional(Type.String()),
  provider: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
  currency: Type.String(),
  requests: Type.Integer(),
  prompt_tokens: Type.Integer(),
  cached_tokens: Type.Integer(),
  cache_write_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  cost: Type.String({ description: 'a decimal text of the currency' }),
});
export type UsageReportRow = Static<typeof UsageReportRow>;

/** Sums of a range of days. */
export interface UsageReport {
  readonly from: string;
  readonly to: string;
  readonly data: readonly UsageReportRow[];
}

/** The parameters of a usage report. */
export interface UsageAsked {
  readonly from?: string;
  readonly to?: string;
  readonly group_by?: string;
}

/** The owner of the usage, and the groups that may be asked for. */
export interface UsageOf {
  /** Undefined: of all accounts. */
  readonly accountId: string | undefined;
  readonly groups: readonly UsageGroup[];
  /** Where nothing is asked for. */
  readonly initial: string;
  readonly nowMs: number;
}

/** Sums usage. Errors: `invalid_value`. */
export async function reportUsage(
  requests: Pick<PaidRequests, 'usage'>,
  { accountId, groups: allowed, initial, nowMs }: UsageOf,
  asked: UsageAsked,
): Promise<UsageReport> {
  const groups = parseGroups(asked.group_by ?? initial, allowed);
  const { fromMs, toMs } = readDays(asked, nowMs);
  const sums = await requests.usage(accountId, { fromMs, toMs, groups });
  return { from: toTime(fromMs), to: toTime(toMs), data: sums.map(toRow) };
}

function parseGroups(text: string, allowed: readonly UsageGroup[]): readonly UsageGroup[] {
  const found = text.split(',').map((name) => allowed.find((group) => group === name.trim()));
  const groups = found.filter((group) => group !== undefined);
  if (groups.length === found.length) return [...new Set(groups)];
  const message = `group_by must be some of ${allowed.join(', ')}, with commas`;
  throw new AppError('invalid_value', message, { param: 'group_by' });
}

function toRow({ accountId, accountName, dayMs, keyId, keyName, provider, model, ...sum }: UsageSum): UsageReportRow {
  return {
    ...(accountId !== undefined && { account_id: accountId, account_name: accountName ?? '' }),
    ...(dayMs !== undefined && { day: toTime(dayMs).slice(0, 10) }),
    ...(keyId !== undefined && { key_id: keyId, key_name: keyName ?? '' }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    currency: sum.currency,
    requests: sum.requests,
    prompt_tokens: Number(sum.promptTokens),
    cached_tokens: Number(sum.cachedTokens),
    cache_write_tokens: Number(sum.cacheWriteTokens),
    completion_tokens: Number(sum.completionTokens),
    cost: toAmount(sum.costMicro),
  };
}
