import { AppError } from '../../../base/index.js';
import { toAmount, type UsageSum } from '../../../billing/index.js';
import { createQueryReader } from '../../../endpoint/index.js';
import { Type } from '../../../schema/index.js';
import { toTime } from '../../operations/shown.js';
import { authenticate, callerOf } from '../authenticate.js';
import { hostedResponse } from '../hosted-response.js';
import type { HostedRoute } from '../hosted-route.js';

const GROUPS = ['day', 'key', 'provider', 'model'] as const;
type Group = (typeof GROUPS)[number];
const DAY_MS = 86_400_000;
/** Days that one answer sums at most. */
const MAX_DAYS = 400;
const DEFAULT_DAYS = 30;

const Query = Type.Object({
  from: Type.Optional(
    Type.String({ maxLength: 40, description: 'a day in UTC such as 2027-01-31; default 30 days ago' }),
  ),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'the day behind the last one; default tomorrow' })),
  group_by: Type.Optional(
    Type.String({
      maxLength: 64,
      description: `some of ${GROUPS.join(', ')}, with commas; default day,provider,model`,
    }),
  ),
});
const readQuery = createQueryReader(Query);

const UsageRow = Type.Object({
  day: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  provider: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
  requests: Type.Integer(),
  prompt_tokens: Type.Integer(),
  cached_tokens: Type.Integer(),
  cache_write_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  cost: Type.String({ description: 'a decimal text of the currency' }),
});

/** `GET /v1/usage`: what the key's account used, summed. */
export const usage: HostedRoute = {
  method: 'GET',
  path: '/v1/usage',
  summary: 'Sums what the account used, by day, key, provider and model.',
  query: Query,
  response: Type.Object({
    object: Type.Enum(['list']),
    currency: Type.String(),
    from: Type.String(),
    to: Type.String(),
    data: Type.Array(UsageRow),
  }),
  before: authenticate,
  async handle({ request, context, record }) {
    const { account } = callerOf(record);
    const query = readQuery(request.query);
    const groups = parseGroups(query.group_by);
    const toMs = query.to === undefined ? startOfDay(context.now()) + DAY_MS : parseDay('to', query.to);
    const fromMs = query.from === undefined ? toMs - DEFAULT_DAYS * DAY_MS : parseDay('from', query.from);
    if (fromMs >= toMs || toMs - fromMs > MAX_DAYS * DAY_MS) {
      const message = `from and to span no days, or more than ${MAX_DAYS}; ask for fewer`;
      throw new AppError('invalid_value', message, { param: 'from' });
    }
    const sums = await context.billing.requests.usage(account.id, { fromMs, toMs });
    const { currency } = account;
    const answer = { object: 'list', currency, from: toTime(fromMs), to: toTime(toMs), data: toRows(sums, groups) };
    return hostedResponse(context.serviceId, answer, { 'cache-control': 'no-store' });
  },
};

function parseGroups(text = 'day,provider,model'): readonly Group[] {
  const found = text.split(',').map((name) => GROUPS.find((group) => group === name.trim()));
  const groups = found.filter((group) => group !== undefined);
  if (groups.length === found.length) return groups;
  throw new AppError('invalid_value', `group_by must be some of ${GROUPS.join(', ')}, with commas`, {
    param: 'group_by',
  });
}

/** The first moment of a day in UTC, of a day or of a time with its zone. */
function parseDay(param: string, text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isFinite(time)) return startOfDay(time);
  throw new AppError('invalid_value', `${param} is no day; write one such as 2027-01-31`, { param });
}

function startOfDay(unixMs: number): number {
  return Math.floor(unixMs / DAY_MS) * DAY_MS;
}

function toRows(sums: readonly UsageSum[], groups: readonly Group[]): readonly Type.Static<typeof UsageRow>[] {
  const byGroup = new Map<string, { readonly first: UsageSum; sum: Totals }>();
  for (const each of sums) {
    const name = JSON.stringify(groups.map((group) => namesOf(each)[group]));
    const known = byGroup.get(name);
    if (known === undefined) byGroup.set(name, { first: each, sum: each });
    else known.sum = add(known.sum, each);
  }
  return Array.from(byGroup.values(), ({ first, sum }) => {
    const names = namesOf(first);
    return {
      ...(groups.includes('day') && { day: names.day }),
      ...(groups.includes('key') && { key_id: names.key }),
      ...(groups.includes('provider') && { provider: names.provider }),
      ...(groups.includes('model') && { model: names.model }),
      requests: sum.requests,
      prompt_tokens: Number(sum.promptTokens),
      cached_tokens: Number(sum.cachedTokens),
      cache_write_tokens: Number(sum.cacheWriteTokens),
      completion_tokens: Number(sum.completionTokens),
      cost: toAmount(sum.costMicro),
    };
  });
}

type Totals = Omit<UsageSum, 'dayMs' | 'keyId' | 'provider' | 'model'>;

function add(a: Totals, b: Totals): Totals {
  return {
    requests: a.requests + b.requests,
    promptTokens: a.promptTokens + b.promptTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    costMicro: a.costMicro + b.costMicro,
  };
}

function namesOf({ dayMs, keyId, provider, model }: UsageSum): Readonly<Record<Group, string>> {
  return { day: toTime(dayMs).slice(0, 10), key: keyId, provider, model };
}
