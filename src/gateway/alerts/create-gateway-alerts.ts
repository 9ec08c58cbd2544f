import { join } from 'node:path';
import { mayServe } from '../../address/index.js';
import { createAlerts, type Alerts, type AlertWatch, type Touched } from '../../alerts/index.js';
import { openSqlite } from '../../database/index.js';
import type { Meter, RequestRow } from '../../metering/index.js';
import type { GatewaySetup } from '../actors/gateway-shared-state.js';
import type { GatewayConfig } from '../config/index.js';
import type { RuntimeState } from '../serving/gateway-state.js';

/** The sent alerts, in the data directory. */
const DATABASE_FILE = 'alerts.sqlite';

/** The alerts of a gateway, without a webhook yet. `readings` is asked when the gateway runs. */
export function createGatewayAlerts(
  { gatewayId, dataDir }: Pick<GatewayConfig, 'gatewayId' | 'dataDir'>,
  { clock, now, log, readSecret }: Pick<GatewaySetup, 'clock' | 'now' | 'log' | 'readSecret'>,
  readings: () => GatewayReadings,
): Alerts<undefined> {
  return createAlerts({
    source: { product: 'private-gateway', id: gatewayId },
    openDatabase: () => openSqlite({ path: join(dataDir, DATABASE_FILE), clock }),
    ownsDatabase: true,
    mayConnect: mayServe,
    readSecret: (source, what) => readSecret(source, { what, code: 'webhook_secret_missing' }),
    look: (watch, touched) => lookAtGateway(readings(), watch, touched),
    clock,
    now,
    log,
  });
}

/** Notes a request that is over: its key may have used much, or its key was wrong. */
export function observeRequest(alerts: Alerts<undefined>, { keyId, errorCode }: RequestRow): void {
  if (keyId !== undefined) alerts.touch(keyId, undefined, errorCode);
  else if (errorCode === 'invalid_api_key') alerts.failSignIn('api');
}

/** The state to check. */
interface GatewayReadings {
  readonly meter: Pick<Meter, 'usageOf' | 'pages'>;
  /** The last known state of every runtime. */
  readonly health: () => Iterable<RuntimeState>;
}

/**
 * Passes readings to `watch`: the budgets of keys used since the last check, and the state of runtimes. Errors: those
 * of the watch.
 */
async function lookAtGateway(
  { meter, health }: GatewayReadings,
  watch: AlertWatch,
  touched: Touched<undefined>,
): Promise<void> {
  for (const [keyId, { refusals }] of touched) {
    const key = meter.pages.findKey(keyId);
    // A key that was deleted since has no budget.
    if (key === undefined || key.limits.budgets.length === 0) continue;
    const wasRefused = refusals.has('budget_exceeded');
    for (const budget of meter.usageOf(keyId).budgets) {
      await watch.budget({ keyId, keyName: key.name, wasRefused, ...budget });
    }
  }
  for (const { id, kind, isHealthy, trouble = 'unreachable' } of health()) {
    await watch.standing({
      subject: `runtime ${id}`,
      isDown: !isHealthy,
      down: { type: 'runtime.down', data: { runtime: id, kind, trouble } },
      toUp: (downSeconds) => ({ type: 'runtime.up', data: { runtime: id, kind, down_s: downSeconds } }),
    });
  }
}
