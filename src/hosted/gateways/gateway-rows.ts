// Rows of the tables of connected gateways as values, and back.
import { integerOf, textOf, type Row } from '../../database/index.js';
import type { ConnectedGateway, ListedModel, Offer, SyncState } from './connected-gateway.js';

/** Columns of a gateway, without its credential. */
export const GATEWAY_COLUMNS = `g.slug, g.name, g.base_url, CASE WHEN g.credential = '' THEN 0 ELSE 1 END AS has_credential, g.offer, g.metering, g.state,
  g.target_revision, g.created_at_ms, s.models, s.etag, s.next_at_ms, s.tried_at_ms, s.synced_at_ms, s.stale_since_ms,
  s.failures, s.last_error`;

/** A row of `GATEWAY_COLUMNS`. */
export function toGateway(row: Row): ConnectedGateway {
  return {
    slug: needText(row, 'slug'),
    name: needText(row, 'name'),
    baseUrl: needText(row, 'base_url'),
    hasCredential: integerOf(row, 'has_credential') === 1,
    offer: JSON.parse(needText(row, 'offer')) as Offer,
    metering: needText(row, 'metering') === 'observe' ? 'observe' : 'inject',
    state: needText(row, 'state') === 'active' ? 'active' : 'disabled',
    targetRevision: integerOf(row, 'target_revision'),
    createdAtMs: integerOf(row, 'created_at_ms'),
    sync: toSyncState(row),
  };
}

/** Models in the database have short field names, since there are thousands. */
export function toModelsText(models: readonly ListedModel[]): string {
  return JSON.stringify(models.map(({ id, created, contextLength }) => [id, created, contextLength ?? 0]));
}

function toSyncState(row: Row): SyncState {
  return {
    models: toModels(needText(row, 'models')),
    etag: textOf(row, 'etag'),
    triedAtMs: optionalNumber(row, 'tried_at_ms'),
    syncedAtMs: optionalNumber(row, 'synced_at_ms'),
    staleSinceMs: optionalNumber(row, 'stale_since_ms'),
    failures: integerOf(row, 'failures'),
    lastError: textOf(row, 'last_error'),
    nextAtMs: integerOf(row, 'next_at_ms'),
  };
}

function toModels(text: string): readonly ListedModel[] {
  return (JSON.parse(text) as [string, number, number][]).map(([id, created, contextLength]) => {
    return { id, created, ...(contextLength > 0 && { contextLength }) };
  });
}

function needText(row: Row, column: string): string {
  return textOf(row, column) ?? '';
}

function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : integerOf(row, column);
}
