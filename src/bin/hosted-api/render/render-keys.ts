import { renderTable } from '../../../cli/index.js';
import { budgetText, counted, headsOf } from '../../../words/index.js';
import type { ShownKey } from '../../../hosted/index.js';

/** A new secret, which is shown this once. */
export function renderSecret({ secret, key }: { readonly secret: string; readonly key: ShownKey }): string {
  return `${secret}\n\nThis is the key ${key.name} (${key.id}) of the account ${key.account_id}. It is shown this once.\n`;
}

/** The secret after a rotation, and until when the one before is taken. */
export function renderRotated(made: { readonly secret: string; readonly key: ShownKey }): string {
  const { grace_until: until } = made.key;
  const older = until === null ? 'Every older secret of it has ended.' : `The previous secret works until ${until}.`;
  return `${renderSecret(made)}${older}\n`;
}

/** A key after a change. */
export function renderKey({ key }: { readonly key: ShownKey }): string {
  return `The key ${key.id} (${key.name}) is ${key.state} now.\n`;
}

/** Keys, a line each. */
export function renderKeys({ keys }: { readonly keys: readonly ShownKey[] }): string {
  if (keys.length === 0) return 'The account has no key. Make one with: hosted-api keys create ACCOUNT --name NAME\n';
  const header = headsOf('id', 'name', 'beginsWith', 'state', 'models', 'limits', 'expires', 'lastUsed');
  return renderTable(header, keys.map(toRow));
}

function toRow({ id, name, prefix, state, models, limits, ...times }: ShownKey): readonly string[] {
  const { requests_per_minute: rpm, tokens_per_minute: tpm, parallel_requests: parallel, budgets } = limits;
  const shown = [
    ...(rpm === null ? [] : [`${counted(rpm, 'request')} a minute`]),
    ...(tpm === null ? [] : [`${counted(tpm, 'token')} a minute`]),
    ...(parallel === null ? [] : [`${counted(parallel, 'request')} at once`]),
    ...budgets.map(({ unit, window, limit }) => budgetText(limit, unit, window)),
  ];
  return [
    id,
    name,
    `${prefix}…`,
    state,
    models === null ? 'all' : models.join(',') || 'none',
    shown.join('; ') || '-',
    times.expires_at?.slice(0, 10) ?? '-',
    times.last_used_at?.slice(0, 16).replace('T', ' ') ?? '-',
  ];
}
