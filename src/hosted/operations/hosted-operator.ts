import { askServer, controlPath, isListening, runOperation } from '../../control/index.js';
import { PRICE_CHANNEL } from '../catalog/create-catalog.js';
import type { HostedConfig } from '../config/index.js';
import { toResolve } from '../gateways/resolve-host.js';
import { openSync } from '../service/open-connected.js';
import { openService, type Service, type ServiceOptions } from '../service/open-service.js';
import type { GatewaySync } from '../sync/gateway-sync.js';
import { operations, type OperationName } from './index.js';
import type { OperationContext } from './operation.js';

/** Runs operations on a service: by asking its node of this machine while it runs, else on its database. */
export interface HostedOperator extends AsyncDisposable {
  /** Whether a node runs here. */
  readonly isRunning: boolean;
  run(operation: OperationName, params?: unknown): Promise<unknown>;
}

/** Where the node of a data directory listens for its operator. */
export function hostedControlPath(dataDir: string): string {
  return controlPath(dataDir, 'hosted');
}

/** The context of operations in a service. `by`: for the audit log. */
export function toOperationContext(
  service: Service,
  sync: Pick<GatewaySync, 'syncNow'>,
  { config, now, by, node }: Pick<OperationContext, 'config' | 'now' | 'by' | 'node'>,
): OperationContext {
  const { database, billing, gateways, rules, lookUpAll } = service;
  const providers = (): readonly string[] => config().providers.map(({ id }) => id);
  const announcePrices = (): Promise<void> => database.notify(PRICE_CHANNEL, '');
  const resolve = toResolve(lookUpAll);
  const own = node === undefined ? {} : { node };
  return { billing, gateways, sync, rules, resolve, config, providers, announcePrices, now, by, ...own };
}

/**
 * The operator of the service of a file. Errors: `control_failed` where a node runs and does not answer; those of
 * opening a service.
 */
export async function createHostedOperator(
  config: HostedConfig,
  by: string,
  options: ServiceOptions,
): Promise<HostedOperator> {
  const path = hostedControlPath(config.dataDir);
  if (await isListening(path)) {
    return {
      isRunning: true,
      run: (operation, params = {}) => askServer(path, { operation, params, by: by.replace(/^cli:/, '') }),
      [Symbol.asyncDispose]: async () => {},
    };
  }
  const service = await openService(config, options);
  const sync = openSync(service, { ...options, syncIntervalMs: config.gateways.syncIntervalMs });
  const context = toOperationContext(service, sync, { config: () => config, now: options.now, by });
  return {
    isRunning: false,
    run: (operation, params = {}) => runOperation(operations, { operation, params }, context),
    async [Symbol.asyncDispose]() {
      await sync[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
