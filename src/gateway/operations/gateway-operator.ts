import { systemClock, unixMs, type LogEntry } from '../../base/index.js';
import { askServer, isListening, runOperation } from '../../control/index.js';
import { keepLast, openMeter, type AuditActor } from '../../metering/index.js';
import { configFacts } from '../audit/config-facts.js';
import { parseGatewayConfig, readGatewayText, type GatewayConfig } from '../config/index.js';
import { operations, type OperationName } from './index.js';
import { toKeyDefinitions } from '../routing/key-definitions.js';
import { gatewayControlPath } from './gateway-control-path.js';

/** Runs operations on a gateway: by asking it while it runs, else on its databases. */
export interface GatewayOperator extends AsyncDisposable {
  /** Whether the gateway runs. */
  readonly isRunning: boolean;
  run(operation: OperationName, params?: unknown): Promise<unknown>;
}

/**
 * The operator of the gateway of the file at `path`. Errors: `control_failed` where a gateway runs and does not answer;
 * those of the meter.
 */
export async function createGatewayOperator(
  path: string,
  config: GatewayConfig,
  by: AuditActor,
  log: (entry: LogEntry) => void,
): Promise<GatewayOperator> {
  const socket = gatewayControlPath(config.dataDir);
  if (await isListening(socket)) {
    return {
      isRunning: true,
      run: (operation, params = {}) =>
        askServer(socket, { operation, params, ...(by.id !== undefined && { by: by.id }) }),
      [Symbol.asyncDispose]: async () => {},
    };
  }
  const { requestLogDays: requestDays, auditDays } = config.retention;
  const meter = await openMeter({
    directory: config.dataDir,
    clock: systemClock,
    now: unixMs,
    log,
    retention: { requestDays, auditDays },
  });
  meter.setFileKeys(toKeyDefinitions(config.virtualKeys));
  let inUse = config;
  const reload = async (): Promise<void> => {
    inUse = parseGatewayConfig((await readGatewayText(path)).text, path).config;
    meter.setFileKeys(toKeyDefinitions(inUse.virtualKeys));
    // The audit log has this change already: the next start does not report it again.
    await keepLast(inUse.dataDir, configFacts(inUse));
  };
  return {
    isRunning: false,
    run: (operation, params = {}) =>
      runOperation(operations, { operation, params }, { meter, config: () => inUse, by, path, reload }),
    [Symbol.asyncDispose]: () => meter[Symbol.asyncDispose](),
  };
}
