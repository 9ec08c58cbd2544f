import type { Clock, LogEntry } from '../../base/index.js';
import { createGatewayDirectory, type FollowedDirectory } from '../gateways/create-gateway-directory.js';
import { GatewaySync } from '../sync/gateway-sync.js';
import type { Service } from './open-service.js';

/** Options of connected gateways beside the service. */
export interface ConnectedOptions {
  readonly syncIntervalMs: number;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
  /** From 0 to below 1; default `Math.random`. */
  readonly random?: () => number;
}

/** Connected gateways of one node: followed, and ready to be asked. */
export interface Connected extends AsyncDisposable {
  readonly directory: FollowedDirectory;
  /** It contacts no gateway until the caller calls `run`. */
  readonly sync: GatewaySync;
}

/** Reads the gateways of a service. Errors: `database_unavailable`. */
export async function openConnected(service: Service, options: ConnectedOptions): Promise<Connected> {
  const { database, gateways: store, rules } = service;
  const { clock, log } = options;
  const directory = await createGatewayDirectory({ database, store, rules, clock, log });
  const sync = openSync(service, options);
  return {
    directory,
    sync,
    async [Symbol.asyncDispose]() {
      await sync[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** The syncs of a service, for commands too. They ask no gateway by themselves until `run` is called. */
export function openSync(
  { gateways, billing, rules, lookUpAll, serviceId }: Service,
  options: ConnectedOptions,
): GatewaySync {
  const { syncIntervalMs: intervalMs, clock, now, log, random = Math.random } = options;
  return new GatewaySync({
    store: gateways,
    leases: billing.leases,
    rules,
    lookUpAll,
    intervalMs,
    serviceId,
    clock,
    now,
    random,
    log,
  });
}
