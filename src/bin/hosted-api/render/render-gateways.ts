import { renderTable } from '../../../cli/index.js';
import { counted, gatewayStateText, headsOf } from '../../../words/index.js';
import type { ShownGateway } from '../../../hosted/index.js';

/** A gateway that was connected, and the next step. */
export function renderAdded(added: { readonly gateway: ShownGateway; readonly is_plain: boolean }): string {
  const { slug, last_error: error } = added.gateway;
  const lines = [
    describeGateway(added.gateway),
    ...(error === null ? [] : [`It cannot be reached now: ${error}. The service asks it again every five minutes.`]),
    ...(added.is_plain ? ['Its address is not https: prompts and its credential travel in clear.'] : []),
    `A model can be called once it has a price: provider pgw/${slug} in a file for hosted-api prices import.`,
  ];
  return `${lines.join('\n')}\n`;
}

/** A gateway after a change. */
export function renderGateway(done: { readonly gateway?: ShownGateway; readonly slug?: string }): string {
  return done.gateway === undefined ? `The gateway ${done.slug} is removed.\n` : `${describeGateway(done.gateway)}\n`;
}

/** Gateways, a line each. */
export function renderGateways({ gateways }: { readonly gateways: readonly ShownGateway[] }): string {
  if (gateways.length === 0)
    return 'No gateway is connected. Connect one with: hosted-api gateways add SLUG --url URL\n';
  const header = headsOf('slug', 'name', 'state', 'models', 'read', 'staleSince', 'address', 'lastError');
  const short = (time: string | null): string => time?.slice(0, 16).replace('T', ' ') ?? '-';
  const rows = gateways.map((gateway) => [
    gateway.slug,
    gateway.name,
    gatewayStateText(gateway),
    `${gateway.offered_models.length} of ${gateway.listed_models}`,
    short(gateway.synced_at),
    short(gateway.stale_since),
    gateway.base_url,
    gateway.last_error ?? '-',
  ]);
  return renderTable(header, rows, [3]);
}

function describeGateway({
  slug,
  name,
  state,
  base_url: url,
  offered_models: models,
  listed_models: listed,
}: ShownGateway): string {
  const shown = models.slice(0, 10).join(', ');
  const more = models.length > 10 ? ` and ${models.length - 10} more` : '';
  const offered =
    models.length === 0
      ? 'it offers no model'
      : `it offers ${models.length} of ${counted(listed, 'model')}: ${shown}${more}`;
  return `The gateway ${slug} (${name}) at ${url} is ${state}; ${offered}.`;
}
