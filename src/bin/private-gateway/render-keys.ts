import { renderTable } from '../../cli/index.js';
import { countText, headsOf, originText, unitText, windowText } from '../../words/index.js';

/** A key as the operation gives it. */
export interface ShownKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly origin: string;
  readonly state: string;
  readonly models: readonly string[] | null;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly limits: {
    readonly requests_per_minute: number | null;
    readonly requests_left: number | null;
    readonly tokens_per_minute: number | null;
    readonly tokens_left: number | null;
    readonly parallel_requests: number | null;
    readonly running_requests: number;
    readonly budgets: readonly ShownBudget[];
  };
}

interface ShownBudget {
  readonly unit: string;
  readonly window: string;
  readonly limit: number | string;
  readonly used: number | string;
  readonly held: number | string;
}

/** Keys, a line each: limits with their usage. */
export function renderKeys({ keys }: { readonly keys: readonly ShownKey[] }): string {
  if (keys.length === 0) return 'There is no key. Make one with: private-gateway keys create --name NAME\n';
  return renderTable(HEADS, keys.map(toRow));
}

const HEADS = headsOf(
  'id',
  'name',
  'beginsWith',
  'state',
  'origin',
  'models',
  'requestsPerMinute',
  'tokensPerMinute',
  'underWay',
  'budgets',
);

function toRow({ id, name, prefix, origin, state, models, limits }: ShownKey): readonly string[] {
  const rate = (limit: number | null, left: number | null): string =>
    limit === null ? '-' : `${countText(Math.max(0, Math.ceil(limit - (left ?? limit))))} of ${countText(limit)}`;
  const running = limits.parallel_requests === null ? '' : ` of ${countText(limits.parallel_requests)}`;
  return [
    id,
    name,
    `${prefix}…`,
    state,
    originText(origin),
    models === null ? 'all' : models.length === 0 ? 'none' : models.join(','),
    rate(limits.requests_per_minute, limits.requests_left),
    rate(limits.tokens_per_minute, limits.tokens_left),
    `${countText(limits.running_requests)}${running}`,
    limits.budgets.map(budgetOf).join('; ') || '-',
  ];
}

/** `2.50 EUR of 20.00 EUR a month, 0.01 EUR reserved`. */
function budgetOf({ unit, window, limit, used, held }: ShownBudget): string {
  const reserved = Number(held) > 0 ? `, ${unitText(held, unit)} reserved` : '';
  return `${unitText(used, unit)} of ${unitText(limit, unit)} ${windowText(window)}${reserved}`;
}

/** A new secret, which is shown this once. */
export function renderSecret({ secret, key }: { readonly secret: string; readonly key: ShownKey }): string {
  return `${secret}\n\nThis is the key of ${key.name} (${key.id}). It is shown this once, and stored as a hash.\n`;
}

/** A key after a change. */
export function renderKey({ key }: { readonly key: ShownKey }): string {
  return `${key.id} (${key.name}) is ${key.state} now.\n`;
}

/** A key after a change, as `keys list` shows it. */
export function renderChanged({ key }: { readonly key: ShownKey }): string {
  return renderKeys({ keys: [key] });
}
