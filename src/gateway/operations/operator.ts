import { systemClock, unixMs, type LogEntry } from '../../base/index.js';
import { askServer, isListening, runOperation } from '../../control/index.js';
import { openMeter, type AuditActor } from '../../metering/index.js';
import type { GatewayConfig } from '../config/index.js';
import { operations, type OperationName } from './index.js';
import { toKeyDefinitions } from '../routing/key-definitions.js';
import { gatewayControlPath } from './gateway-control-path.js';

/** Runs operations on a gateway: by asking it while it runs, else on its databases. */
export interface Operator extends AsyncDisposable {
  /** Whether the gateway runs. */
  readonly isRunning: boolean;
  run(operation: OperationName, params?: unknown): Promise<unknown>;
}

/**
 * The operator of the gateway of a file. Errors: `control_failed` where a gateway runs and cannot be asked; those of the
 * meter.
 */
export async function createOperator(
  config: GatewayConfig,
  by: AuditActor,
  log: (entry: LogEntry) => void,
): Promise<Operator> {
  const path = gatewayControlPath(config.dataDir);
  if (await isListening(path)) {
    return {
      isRunning: true,
      run: (operation, params = {}) => askServer(path, { operation, params }),
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
  return {
    isRunning: false,
    run: (operation, params = {}) =>
      runOperation(operations, { operation, params }, { meter, config: () => config, by }),
    [Symbol.asyncDispose]: () => meter[Symbol.asyncDispose](),
  };
}
