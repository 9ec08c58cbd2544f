import type { Migration } from '../../database/index.js';

/** The tables of connected gateways. Times are milliseconds since 1970. */
export const gatewayMigrations: readonly Migration[] = [
  {
    sql: `
    CREATE TABLE connected_gateway (
      slug TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      base_url TEXT NOT NULL,
      -- Sealed; empty: the gateway asks for none.
      credential TEXT NOT NULL,
      -- JSON: "all", or the ids of models.
      offer TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('active', 'disabled', 'removed')),
      metering TEXT NOT NULL CHECK (metering IN ('inject', 'observe')),
      -- Of address and credential.
      target_revision BIGINT NOT NULL,
      -- Grows with every change that requests can see.
      revision BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL
    );
    CREATE TABLE gateway_sync (
      slug TEXT PRIMARY KEY REFERENCES connected_gateway (slug),
      -- Which lease its syncs need.
      shard TEXT NOT NULL,
      -- JSON: the last list that could be read.
      models TEXT NOT NULL,
      etag TEXT,
      next_at_ms BIGINT NOT NULL,
      tried_at_ms BIGINT,
      synced_at_ms BIGINT,
      stale_since_ms BIGINT,
      failures BIGINT NOT NULL,
      last_error TEXT,
      -- Of the lease under which it was written: an older one writes no more.
      epoch BIGINT NOT NULL
    );
    CREATE INDEX gateway_sync_by_next ON gateway_sync (shard, next_at_ms);
    `,
  },
];
